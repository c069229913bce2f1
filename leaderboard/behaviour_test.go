package leaderboard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// rows returns machine and rank of the shown rows of table i, in their order.
func (t *tab) rows(i int) []string {
	t.Helper()
	return script[[]string](t, fmt.Sprintf(`[...document.querySelectorAll(".board")[%d].querySelectorAll("tbody:not([hidden])")].map((b) => {
		const of = b.querySelector(".of-" + document.documentElement.dataset.kernel);
		return b.dataset.scale + (of.textContent ? " #" + of.textContent : "");
	})`, i))
}

// click clicks the heading of a column of the first table.
func (t *tab) click(heading string) {
	t.Helper()
	t.do(chromedp.Click(fmt.Sprintf(`//section[1]//thead//button[normalize-space()=%q]`, heading)))
}

// choose sets a filter.
func (t *tab) choose(name, value string) {
	t.Helper()
	script[chromedp.Void](t, fmt.Sprintf(`{ const f = document.querySelector(".controls"), e = f.elements[%q]; e.value = %q; f.dispatchEvent(new Event("change")); }`, name, value))
}

func (t *tab) want(what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s: -want +got\n%s", what, d)
	}
}

func TestSorting(t *testing.T) {
	tab := newTab(t)
	tab.open(exampleBoard(t))
	tab.want("best of a machine at each scale", tab.rows(0), []string{"26 #1", "24 #2", "22 #3", "20 #3", "19 #5", "17"})
	tab.choose("runs", "")
	tab.want("all", tab.rows(0), []string{"26 #1", "24 #2", "22 #3", "20 #3", "20 #5", "19 #6", "17"})
	tab.click("Scale")
	tab.want("by scale", tab.rows(0), []string{"26 #1", "24 #2", "22 #3", "20 #3", "20 #5", "19 #6", "17"})
	tab.click("Scale")
	tab.want("by scale, smallest first", tab.rows(0), []string{"17", "19 #6", "20 #3", "20 #5", "22 #3", "24 #2", "26 #1"})
	tab.want("direction", script[string](tab, `[...document.querySelectorAll(".board")].map((b) => b.querySelector("[aria-sort]").innerText.trim() + " " + b.querySelector("[aria-sort]").ariaSort).join()`),
		strings.Repeat("Scale ascending,", 5)+"Scale ascending")
	tab.click("SSSP GTEPS")
	tab.want("by SSSP, unknown last", tab.rows(0)[:3], []string{"24 #2", "22 #3", "26 #1"})
	tab.click("Construction")
	tab.click("Construction")
	tab.want("by construction, shortest first", tab.rows(0)[:3], []string{"24 #2", "26 #1", "19 #6"})
	tab.choose("kernel", "sssp")
	tab.click("Rank")
	tab.want("ranked by SSSP", tab.rows(0), []string{"24 #1", "22 #2", "21 #3"})
}

func TestFilters(t *testing.T) {
	tab := newTab(t)
	tab.open(exampleBoard(t))
	status := func() string { return script[string](tab, `document.querySelector(".status").textContent`) }
	tab.want("status", status(), "11 of 14 runs shown, ranked by BFS.")
	tab.choose("runs", "")
	tab.want("status of all", status(), "13 of 14 runs shown, ranked by BFS.")
	tab.choose("machine", "Some CPU, 47 threads")
	tab.want("of a machine", tab.rows(0), []string{"22 #1", "20 #1", "20 #3", "17"})
	tab.choose("runs", "best")
	tab.want("best of a machine", tab.rows(0), []string{"22 #1"})
	tab.choose("machine", "")
	tab.want("best of each machine", tab.rows(0), []string{"26 #1", "22 #2", "19 #3"})
	tab.choose("scale", "20")
	tab.want("of a scale", tab.rows(0), []string{"20 #1"})
	tab.want("other tables", tab.rows(1), []string{"20 #1"})
	tab.do(chromedp.Click(chromedp.CSS(`button[type=reset]`)))
	script[chromedp.Void](tab, `new Promise((done) => setTimeout(done, 50))`)
	tab.want("after reset", status(), "11 of 14 runs shown, ranked by BFS.")
	tab.choose("runs", "")
	tab.choose("conforming", "no")
	tab.want("not conforming", tab.rows(0), []string{"26 #1", "24 #2", "19 #3"})
	tab.choose("conforming", "yes")
	tab.want("conforming", tab.rows(0), []string{"22 #1", "20 #1", "20 #3", "17"})
	tab.want("an empty table says so", script[int](tab, `[...document.querySelectorAll(".empty")].filter((e) => !e.hidden).length`), 5)
	tab.want("points of the chart", script[int](tab, `document.querySelectorAll("#scales > svg [aria-label=dot] > *").length`), 3)
}

// Names from files stay texts, also in the opened row.
func TestHostileNames(t *testing.T) {
	tab := newTab(t)
	tab.open(exampleBoard(t))
	script[chromedp.Void](tab, `document.querySelectorAll("button.name").forEach((b) => b.click())`)
	tab.do(chromedp.Query(chromedp.CSS(".inside pre.command")))
	script[chromedp.Void](tab, `(async () => { while (document.querySelectorAll(".inside").length < 14) { await new Promise((done) => setTimeout(done, 20)); } })()`)
	script[chromedp.Void](tab, `document.querySelectorAll(".inside details").forEach((d) => { d.open = true; })`)
	script[chromedp.Void](tab, `new Promise((done) => setTimeout(done, 100))`)
	tab.want("title", script[string](tab, `document.title`), "Graph500 leaderboard")
	tab.want("injected elements", script[int](tab, `document.querySelectorAll("img, main script, form script").length`), 0)
	tab.want("name", script[bool](tab, fmt.Sprintf(`[...document.querySelectorAll("button.name")].some((b) => b.textContent === %s)`, quoted(hostile+", 47 threads"))), true)
}

// quoted returns a JavaScript string.
func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// A row opens by keyboard to charts, command and everything in its JSON.
func TestOpenedRow(t *testing.T) {
	tab := newTab(t)
	board := exampleBoard(t)
	tab.open(board)
	row := board.Tables[0].Rows[1] // both kernels
	button := fmt.Sprintf("#row-%s button", row.ID)
	state := func() string {
		return script[string](tab, fmt.Sprintf(`document.querySelector(%q).ariaExpanded`, button))
	}
	tab.want("state", state(), "false")
	tab.do(chromedp.Focus(chromedp.CSS(button)), chromedp.KeyEvent(kb.Enter), chromedp.Query(chromedp.CSS(`.inside`), chromedp.NodeVisible))
	tab.want("state", state(), "true")
	tab.want("command", script[string](tab, `document.querySelector("pre.command").textContent`), `graph500 -scale=24 '-out=0.001 s'`)
	script[chromedp.Void](tab, `(async () => { while (document.querySelectorAll(".profile svg, .strip svg").length < 4) { await new Promise((done) => setTimeout(done, 20)); } })()`)
	tab.want("marks of the strips", script[[]int](tab, `[...document.querySelectorAll(".strip svg")].map((s) => s.querySelector("[aria-label=rule]").children.length)`), []int{64, 64})
	tab.want("bars of the profiles", script[[]int](tab, `[...document.querySelectorAll(".profile svg")].map((s) => s.querySelector("[aria-label=bar]").children.length)`), []int{3, 3})
	tab.want("median", strings.Contains(script[string](tab, `document.querySelector(".inside").textContent`), "Median search, from vertex 93:"), true)
	script[chromedp.Void](tab, `[...document.querySelectorAll(".inside details")].at(-1).open = true`)
	tab.do(chromedp.Query(chromedp.CSS("pre.json"), chromedp.NodeVisible))
	var got, want any
	if err := json.Unmarshal([]byte(script[string](tab, `document.querySelector("pre.json").textContent`)), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(row.document, &want); err != nil {
		t.Fatal(err)
	}
	tab.want("JSON", got, want)
	tab.do(chromedp.Focus(chromedp.CSS(button)), chromedp.KeyEvent(" "), chromedp.Query(chromedp.CSS(`.inside`), chromedp.NodeNotVisible))
	tab.want("state", state(), "false")
}

// A screen reader meets named tables, headings that sort, and rows that open.
func TestAccessibility(t *testing.T) {
	tab := newTab(t)
	tab.open(exampleBoard(t))
	tree, err := chromedp.Call(tab.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string][]string) // by role
	for _, n := range tree.Nodes {
		if n.Ignored || n.Role == nil {
			continue
		}
		role, name := value(n.Role), value(n.Name)
		names[role] = append(names[role], name)
		if name == "" && slices.Contains([]string{"button", "combobox", "radio", "table", "columnheader", "rowheader", "region", "form", "link"}, role) {
			t.Errorf("a %s without name", role)
		}
	}
	for role, want := range map[string]string{
		"table": "Official graph 8 runs", "columnheader": "SSSP GTEPS", "button": "Some GPU", "combobox": "Machine", "radio": "SSSP", "heading": "Graph500 leaderboard", "form": "What the tables show",
	} {
		if !slices.Contains(names[role], want) {
			t.Errorf("no %s %q among %q", role, want, names[role])
		}
	}
	if len(names["main"]) != 1 || len(names["rowheader"]) != 11 {
		t.Errorf("%d main parts, %d headings of rows", len(names["main"]), len(names["rowheader"]))
	}
}

func value(v *accessibility.Value) string {
	var text string
	if v != nil {
		_ = json.Unmarshal(v.Value, &text) // values of other types have no name
	}
	return strings.TrimSpace(text)
}

// contrast is a script that returns the texts with less contrast to their background
// than 4.5 (WCAG 2, level AA).
const contrast = `(() => {
	const rgb = (c) => (c.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
	const light = (c) => rgb(c).slice(0, 3).map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (rgb(c)[3] !== 0) return c; } return "rgb(255, 255, 255)"; };
	return [...document.querySelectorAll("h1, h2, h3, p, li, dt, dd, td, th, button, label, span, select, code, summary")].filter((e) => e.checkVisibility() && e.innerText && e.closest(".skip") === null).map((e) => {
		const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((x, y) => y - x);
		return (a + 0.05) / (b + 0.05) < 4.5 ? e.tagName + " " + e.innerText : "";
	}).filter(Boolean);
})()`

// The page is readable in light and dark, on a phone and printed.
func TestMedia(t *testing.T) {
	tab := newTab(t)
	tab.open(exampleBoard(t))
	script[chromedp.Void](tab, `document.querySelector("button.name").click()`)
	tab.do(chromedp.Query(chromedp.CSS(".inside"), chromedp.NodeVisible))
	background := func() string { return script[string](tab, `getComputedStyle(document.body).backgroundColor`) }
	for _, c := range []struct {
		medium, colours, background string
		width                       int64
	}{
		{"screen", "light", "rgb(255, 255, 255)", 1440},
		{"screen", "dark", "rgb(18, 22, 28)", 1440},
		{"screen", "dark", "rgb(18, 22, 28)", 360},
		{"print", "dark", "rgb(255, 255, 255)", 1040},
	} {
		what := fmt.Sprintf("%s, %s, %d wide", c.medium, c.colours, c.width)
		tab.do(size(c.width, 800), media(c.medium, c.colours))
		script[chromedp.Void](tab, `new Promise((done) => setTimeout(done, 300))`) // colours change gradually
		tab.want(what+": background", background(), c.background)
		tab.want(what+": faint texts", script[[]string](tab, contrast), []string{})
		if wide := script[float64](tab, `document.documentElement.scrollWidth - innerWidth`); c.medium == "screen" && wide > 0 {
			t.Errorf("%s: the page is %v pixels too wide", what, wide)
		}
		tab.want(what+": controls", script[bool](tab, `document.querySelector(".controls").checkVisibility()`), c.medium == "screen")
		tab.want(what+": hidden rows", script[int](tab, `[...document.querySelectorAll("tbody[hidden]")].filter((b) => b.checkVisibility()).length`), 0)
	}
}

// The rows of a long table say which of how many they are, because a screen reader
// meets only those near the screen.
func TestLongTable(t *testing.T) {
	var entries []Entry
	for i := range 201 {
		entries = append(entries, Entry{fmt.Sprint(i), exampleRun(10+i%20, float64(i+1))})
	}
	board := New(entries)
	if board.Runs() != len(entries) {
		t.Fatal(board.LeftOut)
	}
	tab := newTab(t)
	tab.open(board)
	const places = `[document.querySelector("table").ariaRowCount, ...[...document.querySelectorAll("tbody:not([hidden]) > tr")].map((r) => r.ariaRowIndex)].slice(0, 3).join()`
	tab.choose("runs", "")
	tab.want("places", script[string](tab, places), "202,2,3")
	tab.choose("scale", "12")
	tab.want("places after a filter", script[string](tab, places), "11,2,3")
}

// All columns of the page fit on a screen of 1,280 pixels.
func TestColumnsFit(t *testing.T) {
	tab := newTab(t)
	tab.open(exampleBoard(t))
	tab.do(size(1280, 900), media("screen", "light"))
	const widths = `[...document.querySelectorAll(".board > .scroll")].map((s) => s.scrollWidth - s.clientWidth).join()`
	tab.want("pixels that do not fit", script[string](tab, widths), "0,0,0,0,0,0")
}
