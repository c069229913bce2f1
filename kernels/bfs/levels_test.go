//go:build cuda

package bfs

import (
	"slices"
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
)

func TestTraffic(t *testing.T) {
	const bitmap = 1 << 17 // bytes for 2^20 labels
	const dense = 16*bitmap + 2*bitmap + 4*bitmap + 4*60_000
	start := traffic{vertices: 1_000_000, rows: 500_000, tasks: 2_048, bitmap: bitmap, outsideHubs: 616, hubs: 60_000, minors: 32, listRoom: 5_000, left: 499_999}
	type step struct {
		record levelRecord
		want   uint64
	}
	for name, c := range map[string]struct {
		around bool
		steps  []step
	}{
		"official": {steps: []step{
			{levelRecord{Step: stepTopDown, Extra: extraBegin, Frontier: 1, Found: 100, Examined: 100}, 2*bitmap + 28 + 400 + 800},
			{levelRecord{Step: stepTopDown, Frontier: 100, Found: 9_899, Examined: 20_000}, 100*28 + 80_000 + 9_899*8},
			{levelRecord{Step: stepDense, Extra: extraFresh | extraFilter, Frontier: 9_899, Found: 90_000, Tally: [tallies]uint64{1_000, 3_000, 50, 89_000}},
				dense + 128 + 616 + 8*9_899 + 32*1_000 + 4*50 + 4*1_000},
			{levelRecord{Step: stepDense, Frontier: 90_000, Found: 300_000, Tally: [tallies]uint64{10, 20, 0, 300_000}}, dense + bitmap + 128 + 616 + 320},
			{levelRecord{Step: stepEmit, Extra: extraPending, Frontier: 300_000, Found: 99_000, Listed: 1_000, Tally: [tallies]uint64{1_200, 900, 8, 98_800}},
				5*bitmap + bitmap + 32*1_200 + 32 + 8*1_000 + 4*(500_000+1_000_000) + 4*200},
			{levelRecord{Step: stepTail, Frontier: 99_000, Found: 600, Tally: [tallies]uint64{300, 0, 70, 0}}, 8*1_000 + 24*300 + 4*70 + 4*600},
			{levelRecord{Step: stepTail, Frontier: 600, Found: 10, Tally: [tallies]uint64{0, 0, 7, 0}}, 28 + 40},
		}},
		"hubs and order": {steps: []step{
			{levelRecord{Step: stepTopDown, Extra: extraBegin | extraMeasure, Frontier: 1_000, Found: 50_000, Examined: 90_000}, 2*bitmap + 1_000*(44+16) + 90_000*4 + 50_000*8},
			{levelRecord{Step: stepHubs, Extra: extraFresh | 2*extraMeasure, Frontier: 50_000, Found: 100_000, Followed: 3_000, Tally: [tallies]uint64{40_000, 0, 500, 90_000}},
				dense + 2*44*50_000 + 16*50_000 + 16*40_000 + 2*500 + 4*3_000 + 4*10_000},
			{levelRecord{Step: stepDense, Extra: extraOrder | extraFresh, Frontier: 100_000, Tally: [tallies]uint64{}},
				dense + 128 + 616 + 28*100_000 + bitmap + 4*2_048},
			{levelRecord{Step: stepEmit, Extra: extraPending | extraOrdered, Found: 1_000, Listed: 348_999, Tally: [tallies]uint64{0, 0, 0, 1_000}},
				5*bitmap + bitmap + bitmap + 4*2_048 + 8*5_000 + 4*1_500_000},
			{levelRecord{Step: stepEmit, Found: 1_000, Listed: 4_000, Tally: [tallies]uint64{0, 0, 0, 900}}, 5*bitmap + 8*4_000 + 4*(348_999+1_000)},
			{levelRecord{Step: stepList, Found: 1_000, Listed: 3_000, Tally: [tallies]uint64{2_000, 0, 9_000, 0}}, 8*4_000 + 24*2_000 + 4*9_000 + 4*1_000 + 8*3_000},
			{levelRecord{Step: stepTail}, 8 * 3_000},
			{levelRecord{Step: stepTopDown, Extra: extraQueue | extraScatter, Frontier: 10, Examined: 20, Found: 5}, 2*bitmap + 40 + 120 + 280 + 80 + 40},
		}},
		"parents that stay": {around: true, steps: []step{
			{levelRecord{Step: stepDense, Extra: extraFresh, Found: 9_999, Tally: [tallies]uint64{0, 0, 0, 9_000}}, dense + 128 + 616 + 4*999},
			// 490,000 are left, 9,000 owed: the root and 999 others have parents.
			{levelRecord{Step: stepEmit, Extra: extraPending, Found: 7, Listed: 9, Tally: [tallies]uint64{0, 0, 0, 7}}, 6*bitmap + 72 + 4*(499_000+999_000)},
		}},
	} {
		traffic := start
		traffic.around = c.around
		for i, s := range c.steps {
			if got := traffic.of(s.record); got != s.want {
				t.Errorf("%s: level %d moves %d bytes, want %d", name, i, got, s.want)
			}
		}
	}
}

// checkRecords compares what the kernel counted in the levels of the last search, of
// which the depths are known, with the graph.
func (c *searchCase) checkRecords(t *testing.T, depth []int32) {
	t.Helper()
	control, records, err := c.searcher.records()
	if err != nil {
		t.Fatal(err)
	}
	if control.LevelCount > 100 {
		return // each level takes the host as long as the whole graph
	}
	degree := make([]uint32, len(depth))
	for _, row := range devicetest.Host(t, c.graph.Rows) {
		degree[row.Label] = row.Degree
	}
	first := devicetest.Host(t, c.packed.First)
	last := uint32(stepTopDown)
	for i, r := range records {
		if r.Extra&extraQueue != 0 {
			last = stepTopDown
		}
		if !slices.Contains(stepsAfter[last], r.Step) {
			t.Fatalf("level %d is done by %q after %q", i, stepNames[r.Step], stepNames[last])
		}
		afresh := r.Step != last
		last = r.Step
		want, checked := countLevel(int32(i), r.Step, afresh, depth, degree, first)
		for k, n := range want {
			if checked[k] && r.Tally[k] != n {
				t.Fatalf("level %d, %q: tally %d is %d, want %d: %+v", i, stepNames[r.Step], k, r.Tally[k], n, r)
			}
		}
	}
}

// stepsAfter are the steps that may follow one, unless the queue is made again in between.
var stepsAfter = [...][]uint32{
	stepTopDown: {stepTopDown, stepDense, stepHubs},
	stepDense:   {stepDense, stepEmit},
	stepHubs:    {stepDense, stepEmit},
	stepEmit:    {stepEmit, stepList, stepTail},
	stepList:    {stepTail},
	stepTail:    {stepTail},
}

// countLevel counts what the warps should in a level, and says which counts it knows.
func countLevel(level int32, step uint32, afresh bool, depth []int32, degree []uint32, first []engine.Local) (n [tallies]uint64, known [tallies]bool) {
	known[tallyFurther], known[tallyByFirst] = step != stepHubs, step != stepHubs
	if step == stepTopDown {
		known[tallyNear], known[tallyWalked] = true, true
		return n, known
	}
	unvisited := func(v engine.Local) bool { return depth[v] < 0 || depth[v] > level }
	for v, d := range degree {
		if d == 0 || !unvisited(engine.Local(v)) {
			continue
		}
		switch {
		case step == stepTail:
			if afresh && d > 1 {
				n[tallyFurther]++
			}
		case !unvisited(first[v]):
			if step != stepList {
				n[tallyByFirst]++
			}
		case step == stepEmit || d > 1:
			n[tallyFurther]++
		}
	}
	return n, known
}
