package leaderboard

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/engine"
	"graph500/report"
)

// ranked is a file with its rank; 0 without one.
type ranked struct {
	File string
	Rank int
}

// ranksOf lists the files of a table in its order, with the ranks of a kernel.
func ranksOf(t *Table, k engine.Kernel) (list []ranked) {
	for _, r := range t.Rows {
		list = append(list, ranked{r.File, r.ranks[k]})
	}
	return list
}

func TestTables(t *testing.T) {
	type table struct {
		Title string
		BFS   []ranked
	}
	var got []table
	for _, shown := range exampleBoard(t).Tables {
		got = append(got, table{shown.Title, ranksOf(shown, engine.BFS)})
	}
	want := []table{
		{"Official graph", []ranked{{"gpu26", 1}, {"gpu24 both", 2}, {"cpu22 both", 3}, {"cpu20", 3}, {"cpu20 slower", 5}, {"hostile", 6}, {"sssp", 0}, {"no rate", 0}}},
		{"Edgefactor 8", []ranked{{"edgefactor 8", 1}}},
		{"Edgefactor 32", []ranked{{"edgefactor 32", 1}}},
		{"Graph roads.mtx", []ranked{{"roads", 1}}},
		{"Other searches", []ranked{{"by hand", 0}, {"few", 0}}},
		{"Not validated", []ranked{{"not validated", 0}}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestRanksOfSSSP(t *testing.T) {
	ranks := make(map[string]int)
	for _, r := range ranksOf(exampleBoard(t).Tables[0], engine.SSSP) {
		if r.Rank > 0 {
			ranks[r.File] = r.Rank
		}
	}
	if d := cmp.Diff(map[string]int{"gpu24 both": 1, "cpu22 both": 2, "sssp": 3}, ranks); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// Graphs of one name that differ in size or content do not compare.
func TestGraphsOfOneName(t *testing.T) {
	content := func(checksum string) Entry {
		return Entry{checksum, changed(exampleRun(18, float64(len(checksum))), func(r *report.Run) { r.Input.Source, r.Input.Checksum = "roads.mtx", checksum })}
	}
	if b := New([]Entry{content("a"), content("bb"), content("")}); len(b.Tables) != 3 || !strings.Contains(b.Tables[1].About, "checksum a") {
		t.Errorf("%d tables, %v", len(b.Tables), b.LeftOut)
	}
	own := func(factor float64) Entry {
		return Entry{"f", changed(withFactor(exampleRun(18, factor), factor), func(r *report.Run) { r.Input.Source = "roads.mtx" })}
	}
	if b := New([]Entry{own(1), own(2), own(3)}); len(b.Tables) != 3 {
		t.Errorf("%d tables, %v", len(b.Tables), b.LeftOut)
	}
}

func TestLeftOut(t *testing.T) {
	same := exampleRun(20, 1)
	same.Construction = 7
	b := New([]Entry{
		{"first", exampleRun(20, 1)},
		{"same", same},
		{"other start", changed(exampleRun(20, 1), func(r *report.Run) { r.Started = r.Started.Add(1) })},
		{"pagerank", changed(exampleRun(20, 2), func(r *report.Run) { r.Kernels[0].Kernel = "pagerank" })},
		{"twice", changed(exampleRun(20, 3), func(r *report.Run) { r.Kernels = append(r.Kernels, r.Kernels[0]) })},
		{"scale", changed(exampleRun(20, 4), func(r *report.Run) { r.Input.Scale = 64 })},
		{"overflow", exampleRun(20, 1e308)},
	})
	got := make(map[string]string)
	for _, l := range b.LeftOut {
		got[l.File] = l.Err.Error()
	}
	want := map[string]string{
		"same":     "it is the same run as first (start, host and command)",
		"pagerank": `it has searches of an unknown kernel, "pagerank"`,
		"twice":    "it has the kernel bfs twice",
		"scale":    "its scale 64 is not in 0..63",
		"overflow": "the construction took +Inf s",
	}
	if d := cmp.Diff(want, got); d != "" || b.Runs() != 2 {
		t.Errorf("%d runs, -want +got\n%s", b.Runs(), d)
	}
}

func TestEmptyBoard(t *testing.T) {
	if New(nil).Check() == nil {
		t.Error("no error")
	}
	if err := exampleBoard(t).Check(); err != nil {
		t.Error(err)
	}
}

// The first lines of an example board say what it holds.
func TestSummary(t *testing.T) {
	b := exampleBoard(t)
	if got, want := b.summary(), "14 runs on 3 machines, 2026-11-20"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	want := []best{{"BFS", "239.5", "Some GPU", 26}, {"SSSP", "55.92", "Some GPU", 24}}
	got := b.best()
	if !slices.EqualFunc(got, want, func(a, b best) bool { return a.Machine == b.Machine && a.Scale == b.Scale && a.Kernel == b.Kernel }) {
		t.Error(got)
	}
	without := &Board{Tables: b.Tables[1:]}
	if len(without.best()) > 0 {
		t.Error("a run without rank among the official ones is the best")
	}
}

func TestNumbers(t *testing.T) {
	for x, want := range map[float64]string{0: "", -1: "", 1234567: "1,234,567", 1655.529: "1,656", 791: "791.0", 3.8514: "3.851", 0.03185: "0.03185"} {
		if got := rate(x).Text; got != want {
			t.Errorf("%v: %q, not %q", x, got, want)
		}
	}
}

// Ranks on several hosts are another machine than one process, with other cores and hosts.
func TestRanksOnSeveralHosts(t *testing.T) {
	over := func(hosts ...string) func(*report.Run) {
		return func(r *report.Run) {
			for _, host := range hosts {
				r.Processes = append(r.Processes, report.Rank{Host: host, Threads: 47, Processors: "0-47"})
			}
		}
	}
	b := New([]Entry{
		{"one", changed(exampleRun(20, 1), over("node7"))},
		{"four", changed(exampleRun(21, 1), over("node7", "node8", "node9", "node10"))},
	})
	rows := make(map[string]map[string]string)
	for _, row := range csvOf(t, b) {
		rows[row["file"]] = row
	}
	one, four := rows["one"], rows["four"]
	if one["machine"] != "Some CPU, 47 threads" || four["machine"] != "Some CPU, 188 threads, 4 hosts" || four["cores"] != "192" || four["ranks"] != "4" || four["host"] != "node7 and 3 more" {
		t.Error(one, four)
	}
	if got := b.summary(); got != "2 runs on 2 machines, 2026-11-20" {
		t.Error(got)
	}
}
