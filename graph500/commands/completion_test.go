package commands

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"graph500/graph500/commandline"
	"graph500/graph500/testinput"
)

// shell runs a script in a shell, after the completions of graph500 for it.
func shell(t *testing.T, name, before, after string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(err)
	}
	script := before + "\n" + commandline.Completion(name, described(newCommands())) + "\n" + after
	c := exec.Command(path, "-c", script)
	c.Dir = t.TempDir()
	testinput.Write(t, c.Dir, "result.json", "")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestBashCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"graph500 st":                   "strategies",
		"graph500 -kern":                "-kernel=",
		"graph500 --kern":               "-kernel=",
		"graph500 -kernel=s":            "sssp",
		"graph500 -scale=20 -format=cs": "csv",
		"graph500 -scale=20 ch":         "",
		"graph500 strategies -format=t": "table",
		"graph500 strategies -lim":      "-limit=",
		"graph500 chart res":            "result.json",
		"graph500 chart -ti":            "-title=",
		"graph500 -graph=res":           "result.json",
		"graph500 completion z":         "zsh",
		"graph500 -scale=":              "",
	} {
		got := shell(t, "bash", "compopt() { :; }", `COMP_LINE=`+inQuotes(line)+` COMP_POINT=${#COMP_LINE}
			read -ra COMP_WORDS <<<"$COMP_LINE"
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
			_graph500
			printf '%s\n' "${COMPREPLY[@]}"`)
		if got != want {
			t.Errorf("%q: %q, not %q", line, got, want)
		}
	}
}

func TestFishCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"graph500 strat":        "strategies\tsearches one graph with every strategy",
		"graph500 -kernel=ss":   "-kernel=sssp",
		"graph500 -repeat-f":    "-repeat-for\trepeat the searches of each kernel after the timed ones for this long, such as 30s or 5m, for meters of energy",
		"graph500 chart -ti":    "-title\ttitle of the chart",
		"graph500 completion z": "zsh",
		"graph500 chart -repe":  "",
	} {
		got := shell(t, "fish", "", "complete -C "+inQuotes(line))
		if first, _, _ := strings.Cut(got, "\n"); !strings.HasPrefix(first, want) || want == "" && got != "" {
			t.Errorf("%q: %q, not %q", line, got, want)
		}
	}
}

// The test replaces the functions of zsh that interpret the descriptions.
func TestZshCompletion(t *testing.T) {
	for word, want := range map[string]string{
		"":         "*-kernel=[bfs (breadth-first search, kernel 2), sssp (single-source shortest paths, kernel 3) or both (first bfs, then sssp on the same graph)]:NAME:(bfs sssp both)",
		"-scale=4": "*-out=[write the report in every format into this directory]:DIR:_files -/",
		"chart":    "*-series=[additional line with this name, from a CSV file with lines 'scale,GTEPS']:NAME\\:FILE:_files",
		"energy":   "*: :_files",
	} {
		got := shell(t, "zsh", `_arguments() { print -rl -- "$@" }; words=(graph500 `+inQuotes(word)+`)`, "")
		if !slices.Contains(strings.Split(got, "\n"), want) {
			t.Errorf("%q: %s\n%s is missing", word, got, want)
		}
	}
}

func TestManual(t *testing.T) {
	page := commandline.Manual("commit abc123", described(newCommands()))
	for _, name := range commandline.NewRunParser(new(commandline.Options)).Names() {
		if !strings.Contains(page, "\\fB\\-"+strings.ReplaceAll(name, "-", `\-`)+"\\fR") {
			t.Errorf("-%s is missing", name)
		}
	}
	for _, name := range described(newCommands()).Names() {
		if !strings.Contains(page, "\n.SS graph500 "+name+" ") {
			t.Errorf("%s is missing", name)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip(err)
	}
	c := exec.Command(groff, "-man", "-Tascii", "-ww", "-z")
	c.Stdin = strings.NewReader(page)
	if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// inQuotes quotes a text without quotes for a shell.
func inQuotes(text string) string { return "'" + text + "'" }
