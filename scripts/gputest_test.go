package scripts

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// result is a small program instead of graph500: it copies a result file to the directory of
// -out, and fails for scale 30.
const result = `#!/bin/sh
for argument; do
	case $argument in
	-scale=30) echo "graph500: too large" >&2; exit 1 ;;
	-out=*) mkdir -p "${argument#-out=}" && cp "$RESULT" "${argument#-out=}/result.json" ;;
	esac
done
echo "$@" >>"$CALLS"
`

// The stage residency of gpu-test.sh makes one table of the results, and names what failed.
func TestTableOfResidencies(t *testing.T) {
	dir := t.TempDir()
	script, err := os.ReadFile("gpu-test.sh")
	if err != nil {
		t.Fatal(err)
	}
	example, err := filepath.Abs("../report/testdata/result.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"scripts/gpu-test.sh": string(script), "build/gpu/graph500": result, "build/gpu/commit": "1234567"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	calls := filepath.Join(dir, "calls")
	run := exec.Command("bash", filepath.Join(dir, "scripts/gpu-test.sh"), "residency")
	run.Env = append(os.Environ(), "CASES=26:8GiB 30", "RESIDENCIES=prefix zero-copy:16", "SEARCHES=4", "GPUS=2", "RESULT="+example, "CALLS="+calls)
	text, err := run.CombinedOutput()
	if err == nil || !strings.Contains(string(text), "failed:\n  prefix of bfs at scale 30\n  zero-copy of bfs at scale 30\n") {
		t.Errorf("%v\n%s", err, text)
	}
	// The second search, without levels, is the median of those of bfs.
	const row = "| 5.333e-08 | 250 | 500 | - | - | 0 | 0.250 | 5 | 2.384e-07 | 1.000 | 2 of 2 |\n"
	table, err := os.ReadFile(filepath.Join(dir, "build/gpu/results/residency.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(table), "--:|\n")
	if want := "| bfs | 26 | 8GiB | prefix " + row + "| bfs | 26 | 8GiB | zero-copy " + row; rows != want {
		t.Errorf("got\n%swant\n%s", table, want)
	}
	got, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"-residency=prefix -roots=4 ", "-residency=zero-copy -roots=16 ", "-gpu-memory=8GiB ", "-gpus=2 "} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// Each test that the stage sanitizer names is there: a name without a test would select nothing.
func TestNamesOfSanitizedTests(t *testing.T) {
	packages, err := exec.Command("./gpu-packages.sh").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for _, name := range strings.Fields(string(packages)) {
		options, err := exec.Command("bash", "-c", `
			. <(sed -n '/^racechecked()/,/^}/p; /^sanitizer_options()/,/^}/p' gpu-test.sh)
			for tool in memcheck initcheck synccheck racecheck; do sanitizer_options "$tool" "$0"; echo; done`, name).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, options)
		}
		var source []byte
		files, err := filepath.Glob(filepath.Join("..", name, "*_test.go"))
		for _, file := range files {
			text, readError := os.ReadFile(file)
			source, err = append(source, text...), errors.Join(err, readError)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, pattern := range regexp.MustCompile(`Test\w*(\([\w|]*\))?`).FindAllString(string(options), -1) {
			names++
			if !regexp.MustCompile(`(?m)^func ` + pattern).Match(source) {
				t.Errorf("package %s has no test %s", name, pattern)
			}
		}
	}
	if names < 20 {
		t.Errorf("%d names", names)
	}
}
