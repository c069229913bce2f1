package commands

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"graph500/cluster"
	"graph500/graph500/run"
	"graph500/graph500/testinput"
	"graph500/scaling"
)

// The counted levels are those of the official graphs: all levels together find what the searches
// of the program find, over ranks, too. They are divided between the directions by another search.
func TestCountedLevels(t *testing.T) {
	if testing.Short() {
		t.Skip("64 searches")
	}
	dir := t.TempDir()
	execute := func(ranks int, args ...string) string {
		for _, err := range cluster.RunInProcess(t.Context(), ranks, func(ctx context.Context, w *cluster.World) error {
			file, err := os.Create(filepath.Join(dir, fmt.Sprint("output", w.Rank())))
			if err != nil {
				return err
			}
			return Execute(ctx, &run.Process{World: w, Started: time.Now(), Args: testinput.CommandLine(args), Lookup: os.LookupEnv, Stdout: file, Stderr: file})
		}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		return testinput.Read(t, dir, "output0")
	}
	execute(2, "-engine=cpu", "-scale=16", "-skip-validation", "-threads=1", "-out="+dir+"/run")
	got, err := readLevels(dir + "/run")
	if err != nil {
		t.Fatal(err)
	}
	want := scaling.Counted()[0]
	found := func(p scaling.Profile) (sum float64) {
		for _, l := range p.Levels {
			sum += l.Found
		}
		return sum
	}
	if got.Scale != want.Scale || math.Abs(found(got)-found(want)) > 1e-3*found(want) {
		t.Fatalf("%+v, want %+v", got, want)
	}
	if text := execute(1, "model", "-levels="+dir+"/run", "-nodes=1"); !strings.Contains(text, "Levels of scale 16, ") {
		t.Error(text)
	}
}
