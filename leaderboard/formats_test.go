package leaderboard

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/report"
)

func written(tb testing.TB, write func(*bytes.Buffer) error) string {
	tb.Helper()
	var text bytes.Buffer
	if err := write(&text); err != nil {
		tb.Fatal(err)
	}
	return text.String()
}

func csvOf(t *testing.T, b *Board) []map[string]string {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(written(t, func(w *bytes.Buffer) error { return CSV(w, b) }))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := make(map[string]string)
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func TestCSV(t *testing.T) {
	b := exampleBoard(t)
	rows := csvOf(t, b)
	if len(rows) != 14 {
		t.Fatalf("%d rows", len(rows))
	}
	row := rows[slices.IndexFunc(rows, func(r map[string]string) bool { return r["file"] == "gpu24 both" })]
	for _, name := range []string{"id", "bfs_gteps", "sssp_gteps", "bfs_gteps_per_gpu", "sssp_gteps_per_gpu"} {
		if row[name] == "" || row[name] == "0" {
			t.Errorf("%s is %q", name, row[name])
		}
		if name != "id" {
			if v, err := strconv.ParseFloat(row[name], 64); err != nil || v < 50 || v > 300 {
				t.Errorf("%s is %q", name, row[name])
			}
		}
		delete(row, name)
	}
	want := map[string]string{
		"bfs_rank": "2", "sssp_rank": "1", "machine": "Some GPU", "host": "node7", "gpus": "1", "cores": "48", "ranks": "1", "scale": "24",
		"bfs_gteps_per_watt": "5", "sssp_gteps_per_watt": "5", "bfs_watts_of": "GPU boards only", "sssp_watts_of": "GPU boards only",
		"construction_seconds": "0.01", "validated": "yes", "conforming": "labels of 30 bits instead of at least 48", "commit": "0123abcd",
		"date": "2026-11-20T12:00:00Z", "table": "Official graph", "file": "gpu24 both",
	}
	if d := cmp.Diff(want, row); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	for _, r := range rows {
		if r["file"] == "cpu20" && (r["gpus"] != "0" || r["bfs_gteps_per_gpu"] != "" || r["sssp_rank"] != "" || r["bfs_gteps_per_watt"] != "" || r["bfs_watts_of"] != "" || r["conforming"] != "yes") {
			t.Error(r)
		}
		if r["file"] == "hostile" && r["host"] != hostile {
			t.Error(r)
		}
	}
}

// docs/ranking.md names every column of the CSV.
func TestColumnsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/ranking.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range csvOf(t, exampleBoard(t))[0] {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/ranking.md lacks `%s`", name)
		}
	}
}

func TestMarkdown(t *testing.T) {
	b := exampleBoard(t)
	b.LeftOut = []LeftOut{{"a|b", fmt.Errorf("<bad>")}}
	text := written(t, func(w *bytes.Buffer) error { return Markdown(w, b) })
	cells := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if cells == 0 {
			cells = n
		}
		if n != cells {
			t.Errorf("%d cells instead of %d: %s", n-1, cells-1, line)
		}
	}
	for _, want := range []string{"\n## Official graph\n", "\n### By BFS\n", "\n### By SSSP\n", "\n| 1 | Some GPU | node7 |", "\n- a\\|b: &lt;bad>\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(text, "<script") || strings.Contains(text, "<img") {
		t.Error("a name is not escaped")
	}
	sssp := text[strings.Index(text, "### By SSSP"):]
	if strings.Index(sssp, "| 24 |") > strings.Index(sssp, "| 22 |") {
		t.Error("SSSP is not sorted by its rate")
	}
}

// The page asks for nothing, and has no name outside of its place.
func TestPage(t *testing.T) {
	b := exampleBoard(t)
	text := written(t, func(w *bytes.Buffer) error { return HTML(w, b) })
	if strings.Contains(text, `<script>document.title`) || strings.Contains(text, "<img src=x") {
		t.Error("a name is not escaped")
	}
	for _, address := range []string{`src="http`, `href="http`, "@import", "url(http"} {
		if strings.Contains(text[:strings.Index(text, "<script>")], address) {
			t.Errorf("the page asks for %s", address)
		}
	}
}

// The same runs make the same files.
func TestReproducible(t *testing.T) {
	for _, f := range Formats() {
		first := written(t, func(w *bytes.Buffer) error { return f.Write(w, exampleBoard(t)) })
		if second := written(t, func(w *bytes.Buffer) error { return f.Write(w, exampleBoard(t)) }); first != second {
			t.Errorf("%s differs", f.File)
		}
	}
}

// No cell begins a formula in a spreadsheet.
func TestCSVWithoutFormulas(t *testing.T) {
	b := New([]Entry{{"=HYPERLINK(1)", changed(exampleRun(20, 1), func(r *report.Run) { r.Machine.Host, r.Program.Commit = "@SUM(A1)", "+cmd|x" })}})
	row := csvOf(t, b)[0]
	if row["file"] != "'=HYPERLINK(1)" || row["host"] != "'@SUM(A1)" || row["commit"] != "'+cmd|x" {
		t.Error(row)
	}
}
