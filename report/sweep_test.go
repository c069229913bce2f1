package report

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func exampleSweep() Sweep {
	larger := fullRun()
	larger.Input.Scale = 5
	return Sweep{{Scale: 4, Run: fullRun()}, {Scale: 5, Run: larger}, {Scale: 30, Failure: errors.New("no memory")}}
}

func TestSweepTable(t *testing.T) {
	want := `  scale  kernel      GTEPS  median search (s)  generation (s)  construction (s)  MTEPS/W, GPU boards only  MTEPS/W, packages only
      4     bfs  5.333e-08           0.375000        0.125000          0.250000                       0.2                    1.25
      4    sssp  1.333e-08           1.500000        0.125000          0.250000                         -                       -
      5     bfs  5.333e-08           0.375000        0.125000          0.250000                       0.2                    1.25
      5    sssp  1.333e-08           1.500000        0.125000          0.250000                         -                       -
     30  failed          -                  -               -                 -                         -                       -
`
	wantText(t, want, func(w io.Writer) error { return SweepTable(w, exampleSweep()) })
}

func TestSweepDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if err := WriteSweepDir(t.Context(), dir, exampleSweep()); err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile(filepath.Join(dir, "sweep.txt"))
	if err != nil || !bytes.HasSuffix(table, []byte("\nscale 30: no memory\n")) {
		t.Errorf("%s %v", table, err)
	}
	if chart, err := os.ReadFile(filepath.Join(dir, "sweep.svg")); err != nil || !bytes.Contains(chart, []byte("</svg>")) {
		t.Errorf("%s %v", chart, err)
	}
	dir = filepath.Join(t.TempDir(), "out")
	if err := WriteSweepDir(t.Context(), dir, Sweep{{Scale: 4, Run: bareRun()}, {Scale: 30, Failure: errors.New("no memory")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "sweep.svg")); err == nil {
		t.Error("a chart without a rate")
	}
}
