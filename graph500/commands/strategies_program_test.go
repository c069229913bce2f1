package commands_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"graph500/engine"
	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
)

func TestStrategiesProgram(t *testing.T) {
	dir := t.TempDir()
	r := programtest.Succeed(t, dir, "strategies", "-scale=8", "-engine=cpu", "-roots=3", "-out=o", "-format=json", "default", "frontier")
	var document struct {
		Strategies []struct {
			Name      string
			Validated int
			Ratio     float64
		}
	}
	if err := json.Unmarshal([]byte(r.Stdout), &document); err != nil {
		t.Fatal(err)
	}
	if len(document.Strategies) != 2 || document.Strategies[0].Name != "frontier" || document.Strategies[1].Ratio != 1 || document.Strategies[0].Validated != 3 {
		t.Errorf("%+v", document)
	}
	for _, name := range []string{"strategies.txt", "strategies.json", "strategies.csv", "strategies.svg"} {
		if info, err := os.Stat(filepath.Join(dir, "o", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r := programtest.Succeed(t, dir, "strategies", "-version"); r != programtest.Succeed(t, dir, "-version") {
		t.Error(r)
	}
	programtest.Refused(t, programtest.Run(t, dir, nil, "strategies", "-scale=8", "-engine=cpu", "frontir"), 2, `the cpu engine has no strategy "frontir" for bfs, the nearest is frontier`)
}

// Examined is the sum over all levels of a search, including levels that are not
// recorded.
func TestStrategiesExaminedOfADeepSearch(t *testing.T) {
	const vertices = engine.MaxLevels + 500
	var path strings.Builder
	for v := range vertices - 1 {
		fmt.Fprintf(&path, "%d %d\n", v, v+1)
	}
	dir := t.TempDir()
	testinput.Write(t, dir, "path.txt", path.String())
	programtest.Succeed(t, dir, "strategies", "-graph=path.txt", "-engine=cpu", "-root=0", "-out=o", "frontier")
	const arcs = 2 * (vertices - 1) // each examined once
	var document struct {
		Strategies []struct {
			Levels, Examined float64
			Searches         []struct {
				LevelCount int64 `json:"level_count"`
				Examined   int64
				Levels     []any
			}
		}
	}
	if err := json.Unmarshal([]byte(testinput.Read(t, dir, "o/strategies.json")), &document); err != nil {
		t.Fatal(err)
	}
	s := document.Strategies[0]
	if s.Examined != arcs || s.Levels != vertices || s.Searches[0].Examined != arcs || s.Searches[0].LevelCount != vertices || len(s.Searches[0].Levels) != engine.MaxLevels {
		t.Errorf("%g of %d entries examined in %g of %d levels, %d of them kept", s.Examined, arcs, s.Levels, vertices, len(s.Searches[0].Levels))
	}
	rows, err := csv.NewReader(strings.NewReader(testinput.Read(t, dir, "o/strategies.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if column := slices.Index(rows[0], "examined"); rows[1][column] != fmt.Sprint(arcs) {
		t.Errorf("strategies.csv has %s", rows[1][column])
	}
	if text := testinput.Read(t, dir, "o/strategies.txt"); !strings.Contains(text, fmt.Sprintf(" %d ", arcs)) {
		t.Error(text)
	}
}

func TestComparisonHasOneScale(t *testing.T) {
	programtest.Refused(t, programtest.Run(t, t.TempDir(), nil, "strategies", "-scale=6,8"), 2, "flag -scale: a comparison has one scale, and not 6,8")
}
