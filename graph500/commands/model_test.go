package commands

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"graph500/scaling"
)

// The measured figures are those of docs/performance.md.
func TestMeasuredFigures(t *testing.T) {
	text, err := os.ReadFile("../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "## Earlier search\n")
	section, _, before := strings.Cut(section, "\n## ")
	if !found || !before {
		t.Fatal("no section")
	}
	row := func(begin string) []string {
		for line := range strings.Lines(section) {
			if cells, found := strings.CutPrefix(line, "| "+begin+" |"); found {
				return strings.Split(regexp.MustCompile(`[*, \n]`).ReplaceAllString(strings.TrimSuffix(cells, "|\n"), ""), "|")
			}
		}
		t.Fatalf("no row %q", begin)
		return nil
	}
	documented := map[string]bool{}
	scales := row("scale")
	for gpus, name := range map[int]string{1: "one GPU", 2: "two GPUs", 4: "four GPUs"} {
		for i, rate := range row(name) {
			if rate != "" {
				documented[fmt.Sprintf("%d %s %s", gpus, scales[i], rate)] = true
			}
		}
	}
	for _, m := range scaling.Measured() {
		if !documented[fmt.Sprintf("%d %d %.0f", m.GPUs, m.Scale, m.GTEPS)] {
			t.Errorf("%+v is not in docs/performance.md", m)
		}
	}
	if len(documented) != len(scaling.Measured()) {
		t.Errorf("%d figures in docs/performance.md, %d in the model", len(documented), len(scaling.Measured()))
	}
}
