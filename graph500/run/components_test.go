package run

import (
	"fmt"
	"strings"
	"testing"

	"graph500/graph500/commandline"
	"graph500/graph500/testinput"
)

// TestRootsFromLargest samples the keys of a graph of many components from the largest one.
func TestRootsFromLargest(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	for pair := range 40 {
		fmt.Fprintln(&text, 2*pair, 2*pair+1)
	}
	for v := range 9 {
		fmt.Fprintln(&text, 80+v, 81+v)
	}
	path := testinput.Write(t, dir, "islands.txt", text.String())
	_, b, output := loaded(t, "-roots=40", "-graph", path)
	small := 0
	for _, s := range b.Record.Kernels[0].Searches {
		if s.Root < 80 {
			small++
		}
	}
	if want := fmt.Sprintf("BFS: %d of 40 search keys (%.0f %%) are in components smaller than the largest one found, which has 10 of the 90 vertices with an edge", small, 2.5*float64(small)); small == 0 || small == 40 || !strings.Contains(output, want) || !strings.Contains(output, "-roots-from=largest") {
		t.Errorf("%d of 40 keys are in small components: %s", small, output)
	}
	if _, _, output := loaded(t, "-root=0", "-root=2", "-graph", path); !strings.Contains(output, "BFS: 0 of 2 search keys (0 %) are in components smaller than the largest one found, which has 2 of the 90") {
		t.Error(output)
	}
	largest := []string{"-roots=8", "-roots-from=largest", "-graph", path}
	_, b, output = loaded(t, largest...)
	for _, s := range b.Record.Kernels[0].Searches {
		if s.Root < 80 {
			t.Errorf("root %d", s.Root)
		}
	}
	if len(b.Record.Kernels[0].Searches) != 8 || strings.Contains(output, "are in components smaller") || !strings.Contains(output, "from the largest component: 10 of the 90 vertices") {
		t.Error(output)
	}
	if _, b, output = loaded(t, "-roots=64", "-roots-from=largest", "-graph", path); len(b.Record.Kernels[0].Searches) != 10 {
		t.Errorf("%d searches: %s", len(b.Record.Kernels[0].Searches), output)
	}
	facts, errs := runOnRanks(t, 1, largest...)
	if errs[0] != nil {
		t.Fatal(errs[0])
	}
	wantFacts(t, facts, 3, largest...)
	for _, args := range []string{"-roots-from=largest", "-roots-from=largest -root=1 -graph=x", "-roots-from=giant -graph=x"} {
		if _, err := commandline.ParseFlags(testinput.CommandLine(strings.Fields(args)), testinput.Environment(), testinput.Strategies()); err == nil || !strings.Contains(err.Error(), "-roots-from") {
			t.Errorf("%s: %v", args, err)
		}
	}
}
