package run

import (
	"fmt"
	"os"
	"testing"

	"graph500/graph500/testinput"
)

// Ranks find, write and read with labels of 48 bits what one process does with 32.
func TestWideRanksFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"-kernel=both", "-scale=7", "-roots=2"}
	narrow, wide := append(args, "-label-bits=32"), append(args, "-label-bits=48")
	testinput.Write(t, ".", "text", "0 1 0.5\n1 2 0.25\n2 70 1\n70 69 0\n3 3 1\n")
	var want []string
	for ranks := 1; ranks <= 4; ranks++ {
		dir := fmt.Sprint(ranks)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if ranks == 1 {
			want = wantFacts(t, nil, 1, append(narrow, "-write-edges=1/edges", "-write-parents=1")...)
			continue
		}
		wantFacts(t, want, ranks, append(wide, "-write-edges="+dir+"/edges", "-write-parents="+dir)...)
		testinput.SameFiles(t, dir, "1")
		checkTrees(t, dir, "-scale=7")
		wantFacts(t, want, ranks, append(wide, "-read-edges=1/edges")...)
		text := []string{"-kernel=both", "-graph=text", "-roots=2"}
		wantFacts(t, wantFacts(t, nil, 1, text...), ranks, append(text, "-label-bits=48")...)
		wantFacts(t, wantFacts(t, nil, 1, append(text, "-skip-validation")...), ranks, append(text, "-skip-validation", "-label-bits=48")...)
	}
}
