package commands_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
	"graph500/report"
)

// boardRows returns the rows of a leaderboard by file.
func boardRows(t *testing.T, dir, out string) map[string]map[string]string {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(testinput.Read(t, dir, out, "leaderboard.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := make(map[string]map[string]string)
	for _, line := range lines[1:] {
		row := make(map[string]string)
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows[row["file"]] = row
	}
	return rows
}

// Real runs of every kind come into the tables where they belong.
func TestLeaderboardOfRealRuns(t *testing.T) {
	dir := t.TempDir()
	testinput.Write(t, dir, "path.txt", "0 1\n1 2\n2 3\n3 4\n")
	want := make(map[string]string) // table by file
	for _, c := range []struct{ out, flags, table string }{
		{"runs/both10", "-scale=10 -kernel=both", "Official graph"},
		{"runs/bfs7", "-scale=7", "Official graph"},
		{"runs/deep/er/sssp8", "-scale=8 -kernel=sssp", "Official graph"},
		{"runs/ef8", "-scale=8 -edgefactor=8 -kernel=both", "Edgefactor 8"},
		{"runs/ef32", "-scale=8 -edgefactor=32", "Edgefactor 32"},
		{"runs/own", "-graph=path.txt -roots=3", "Graph path.txt"},
		{"runs/few", "-scale=8 -roots=3", "Other searches"},
		{"runs/hand", "-scale=8 -root=3", "Other searches"},
		{"runs/unchecked", "-scale=8 -skip-validation", "Not validated"},
	} {
		programtest.Succeed(t, dir, append(strings.Fields(c.flags), "-engine=cpu", "-out="+c.out)...)
		want[c.out+"/result.json"] = c.table
	}
	r := programtest.Succeed(t, dir, "leaderboard", "-out=board", "runs", "runs/bfs7/result.json", "runs/b*")
	if r.Stdout != "board/index.html\nboard/leaderboard.md\nboard/leaderboard.csv\n" || r.Stderr != "" {
		t.Error(r)
	}
	got := make(map[string]string)
	for file, row := range boardRows(t, dir, "board") {
		got[file] = row["table"]
		ranked := row["bfs_rank"]+row["sssp_rank"] != ""
		if unranked := slices.Contains([]string{"Other searches", "Not validated"}, row["table"]) || file == "runs/own/result.json"; ranked == unranked {
			t.Errorf("%s: ranked: %v", file, ranked)
		}
		if !strings.Contains(row["conforming"], "labels of 32 bits") || row["commit"] != "abc123" || row["gpus"] != "0" {
			t.Error(row)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if page := testinput.Read(t, dir, "board/index.html"); !strings.HasPrefix(page, "<!DOCTYPE html>") || !strings.Contains(page, "Graph path.txt") {
		t.Error("no page")
	}
	if r := programtest.Succeed(t, dir, "leaderboard", "-help"); !strings.Contains(r.Stdout, "graph500 leaderboard [flags] RESULT") || strings.Contains(r.Stdout, " --") {
		t.Error(r.Stdout)
	}
}

// Bad files are named, and the rest goes on.
func TestLeaderboardLeavesOut(t *testing.T) {
	dir := t.TempDir()
	programtest.Succeed(t, dir, "-scale=6", "-engine=cpu", "-out=runs/a")
	good := testinput.Read(t, dir, "runs/a/result.json")
	for name, text := range map[string]string{
		"overflow": strings.Replace(good, `"seconds": `, `"seconds": 1e308, "was": `, -1), "no device": strings.Replace(good, `"devices": [`, `"devices": [{"name": "x"}`, 1),
		"truncated": good[:len(good)/2], "foreign": `{"name": "x"}`, "empty": "", "newer": strings.Replace(good, `"schema_version": `, `"schema_version": 9`, 1), "copy": good,
	} {
		if err := os.Mkdir(filepath.Join(dir, "runs", name), 0o777); err != nil {
			t.Fatal(err)
		}
		testinput.Write(t, dir, filepath.Join("runs", name, "result.json"), text)
	}
	if err := os.Mkdir(filepath.Join(dir, "nothing"), 0o777); err != nil {
		t.Fatal(err)
	}
	r := programtest.Run(t, dir, nil, "leaderboard", "runs", "nothing", "none", "no*")
	for _, want := range []string{
		"left out: runs/truncated/result.json: no result in JSON: unexpected EOF\n",
		"left out: runs/foreign/result.json: no result of graph500: it has no schema_version\n",
		"left out: runs/empty/result.json: no result in JSON: EOF\n",
		"left out: runs/newer/result.json: its schema_version is 9",
		"left out: runs/overflow/result.json: no run can have this result: ",
		"left out: runs/no device/result.json: no run can have this result: its device and its list of 1 devices contradict each other\n",
		"left out: runs/copy/result.json: it is the same run as runs/a/result.json (start, host and command)\n",
		"left out: nothing: there is no result.json in this directory or below\n",
		"left out: none: no such file or directory\n",
		"left out: no*: nothing: there is no result.json in this directory or below\n",
		"graph500: runs on the leaderboard: 1; left out: 10, named above\n",
	} {
		if !strings.Contains(r.Stderr, want) {
			t.Errorf("%q is missing in\n%s", want, r.Stderr)
		}
	}
	if r.Status != 1 || len(boardRows(t, dir, "leaderboard")) != 1 {
		t.Errorf("status %d", r.Status)
	}
	if page := testinput.Read(t, dir, "leaderboard/index.html"); strings.Count(page, "runs/newer/result.json") != 1 {
		t.Error("the page does not name what is left out")
	}
}

// Directories that are links are searched, each once, also where the argument does not name
// them.
func TestLeaderboardOfLinks(t *testing.T) {
	dir := t.TempDir()
	programtest.Succeed(t, dir, "-scale=6", "-engine=cpu", "-out=runs/a")
	elsewhere := t.TempDir()
	programtest.Succeed(t, elsewhere, "-scale=7", "-engine=cpu", "-out=b/c")
	for from, to := range map[string]string{"link": "runs", "result.json": "runs/a/result.json", "runs/loop": ".", "runs/away": filepath.Join(elsewhere, "b")} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	programtest.Succeed(t, dir, "leaderboard", "link", "result.json", "runs")
	if rows := boardRows(t, dir, "leaderboard"); len(rows) != 2 || rows["link/a/result.json"] == nil || rows["link/away/c/result.json"] == nil {
		t.Error(rows)
	}
}

func TestLeaderboardRefusals(t *testing.T) {
	dir := t.TempDir()
	programtest.Succeed(t, dir, "strategies", "-scale=6", "-engine=cpu", "-roots=2", "-out=s", "push")
	programtest.Succeed(t, dir, "-scale=6", "-engine=cpu", "-out=a")
	testinput.Write(t, dir, "file", "")
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"", 2, "leaderboard needs results"},
		{"-title=x a", 2, "unknown flag -title"},
		{"none", 1, "there is no run to rank"},
		{"[", 1, "there is no run to rank"},
		{"s/strategies.json", 1, "there is no run to rank"},
		{"-out=file a", 1, "-out file: "},
	} {
		programtest.Refused(t, programtest.Run(t, dir, nil, append([]string{"leaderboard"}, strings.Fields(c.args)...)...), c.status, c.want)
	}
	if _, err := os.Stat(filepath.Join(dir, "leaderboard")); err == nil {
		t.Error("a leaderboard without runs was written")
	}
}

// Files of one name with other edges have tables of their own; those with the same edges in
// another order share one.
func TestLeaderboardOfGraphsOfOneName(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"path": "0 1\n1 2\n2 3\n3 4\n", "star": "0 1\n0 2\n0 3\n0 4\n", "reversed": "1 0\n4 3\n3 2\n2 1\n"} {
		testinput.Write(t, dir, "g.txt", text)
		programtest.Succeed(t, dir, "-graph=g.txt", "-engine=cpu", "-roots=3", "-out=runs/"+name)
	}
	if err := os.Remove(filepath.Join(dir, "g.txt")); err != nil {
		t.Fatal(err)
	}
	programtest.Succeed(t, dir, "leaderboard", "-out=board", "runs")
	if text := testinput.Read(t, dir, "board/leaderboard.md"); strings.Count(text, "\n## Graph g.txt\n") != 2 {
		t.Error(text)
	}
}

// A comparison says what is the same, faster or slower, with a status for scripts, and refuses
// what cannot be compared.
func TestCompareProgram(t *testing.T) {
	dir := t.TempDir()
	programtest.Succeed(t, dir, "-scale=8", "-engine=cpu", "-kernel=both", "-out=a")
	programtest.Succeed(t, dir, "-scale=8", "-engine=cpu", "-seed1=9", "-out=other")
	good := testinput.Read(t, dir, "a/result.json")
	run, err := report.ReadResult(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	times := func(out string, factor float64) {
		changed := *run
		changed.Kernels = slices.Clone(run.Kernels)
		for i := range changed.Kernels {
			k := &changed.Kernels[i]
			k.Searches = slices.Clone(k.Searches)
			for j := range k.Searches {
				k.Searches[j].Seconds = factor * (1e-3 + 1e-6*float64(j))
			}
		}
		if err := report.WriteDir(t.Context(), filepath.Join(dir, out), &changed); err != nil {
			t.Fatal(err)
		}
	}
	times("one", 1)
	times("same", 1.001)
	times("fast", 0.5)
	times("slow", 2)
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"one same", 0, "same"}, {"one fast", 0, "faster"}, {"one slow", 3, "slower"}, {"-margin=0.01 one same", 3, "slower"}, {"-margin=100 one/result.json slow", 0, "same"},
	} {
		r := programtest.Run(t, dir, nil, append([]string{"compare"}, strings.Fields(c.args)...)...)
		if r.Status != c.status || strings.Count(r.Stdout, " "+c.want+"\n") != 2 || !strings.Contains(r.Stdout, "\nBFS ") || !strings.Contains(r.Stdout, "\nSSSP ") {
			t.Errorf("%s: status %d\n%s%s", c.args, r.Status, r.Stdout, r.Stderr)
		}
	}
	testinput.Write(t, dir, "broken.json", good[:len(good)/2])
	for args, want := range map[string]string{
		"a other": "cannot compare A and B: BFS at scale 8: the seeds are 2, 3 and 9, 3", "a a": "a/result.json and a/result.json are the same result",
		"a none": "none: no such file", "a broken.json": "broken.json: no result in JSON",
	} {
		programtest.Refused(t, programtest.Run(t, dir, nil, append([]string{"compare"}, strings.Fields(args)...)...), 1, want)
	}
	for args, want := range map[string]string{"a": "compare needs A and B", "a b c": "compare needs A and B", "-margin=101 a b": "flag -margin: 101 is not in 0..100"} {
		programtest.Refused(t, programtest.Run(t, dir, nil, append([]string{"compare"}, strings.Fields(args)...)...), 2, want)
	}
}

func TestSubmitProgram(t *testing.T) {
	dir := t.TempDir()
	programtest.Succeed(t, dir, "-scale=8", "-engine=cpu", "-kernel=both", "-out=a")
	r := programtest.Run(t, dir, nil, "submit", "-out=sub", "a")
	for _, want := range []string{
		"\n  ok     block (result.txt) and JSON that agree\n", "\n  ok     statistics that follow from the times of the searches\n", "\n  ok     the same keys for all kernels\n",
		"\n  FAILS  vertex numbers of at least 48 bits ", "\nFields of the BFS list\n", "\nFields of the SSSP list\n", "\n  Country              [TO FILL IN]\n", testinput.Read(t, dir, "a/result.txt"),
	} {
		if !strings.Contains(r.Stdout, want) {
			t.Errorf("%q is missing in\n%s", want, r.Stdout)
		}
	}
	if r.Status != 1 || !strings.HasPrefix(r.Stderr, "graph500: a/result.json: checks that did not pass: ") || testinput.Read(t, dir, "sub/submission.txt") != r.Stdout {
		t.Error(r.Status, r.Stderr)
	}
	if fields := testinput.Read(t, dir, "sub/submission.csv"); !strings.HasPrefix(fields, "list,field,value,hint\nBFS,Machine,,") {
		t.Error(fields)
	}
	// A block of another run does not agree, and a missing one is said.
	programtest.Succeed(t, dir, "-scale=7", "-engine=cpu", "-kernel=both", "-out=b")
	testinput.Write(t, dir, "a/result.txt", testinput.Read(t, dir, "b/result.txt"))
	if r := programtest.Run(t, dir, nil, "submit", "a/result.json"); !strings.Contains(r.Stdout, `line 1 of the block is "SCALE: 7", and the JSON gives "SCALE: 8"`) {
		t.Error(r.Stdout)
	}
	if err := os.Remove(filepath.Join(dir, "a/result.txt")); err != nil {
		t.Fatal(err)
	}
	if r := programtest.Run(t, dir, nil, "submit", "a"); !strings.Contains(r.Stdout, "\n  ?      block (result.txt) and JSON that agree ") {
		t.Error(r.Stdout)
	}
	for args, want := range map[string]string{"": "submit needs one result", "a b": "submit needs one result"} {
		programtest.Refused(t, programtest.Run(t, dir, nil, append([]string{"submit"}, strings.Fields(args)...)...), 2, want)
	}
	for args, want := range map[string]string{"none": "none: no such file", "a/result.csv": "a/result.csv: no result in JSON", "sub": "sub/result.json: no such file", "/dev/zero": "/dev/zero: it has more than 256 MiB"} {
		programtest.Refused(t, programtest.Run(t, dir, nil, "submit", args), 1, want)
	}
}
