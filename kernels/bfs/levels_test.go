//go:build cuda

package bfs

import (
	"slices"
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
)

func TestTraffic(t *testing.T) {
	const bitmap = 1 << 17 // bytes, for 2^20 labels
	const dense = 16*bitmap + 2*bitmap + 4*bitmap + 4*60_000
	start := traffic{tasks: 2_048, bitmap: bitmap, nonHubLists: 616, hubs: 60_000, minors: 32, listCapacity: 5_000}
	type step struct {
		record levelRecord
		want   uint64
	}
	for name, steps := range map[string][]step{
		"official": {
			{levelRecord{Step: stepTopDown, Extra: extraBegin, Frontier: 1, Found: 100, Implied: 100}, 2*bitmap + 28 + 400 + 800},
			{levelRecord{Step: stepTopDown, Frontier: 100, Found: 9_899, Implied: 20_000}, 100*28 + 80_000 + 9_899*8},
			{levelRecord{Step: stepDense, Extra: extraFirstDense | extraFilter, Frontier: 9_899, Found: 90_000, Moved: 7}, dense + 128 + 616 + 8*9_899 + 28},
			{levelRecord{Step: stepDense, Frontier: 90_000, Found: 300_000}, dense + bitmap + 128 + 616},
			{levelRecord{Step: stepDenseParents, Extra: extraDeferred, Frontier: 300_000, Found: 99_000, Listed: 1_000, Moved: 1_500_000}, 6*bitmap + 8*1_000 + 6_000_000},
			{levelRecord{Step: stepTail, Frontier: 99_000, Found: 600, Examined: 70, Moved: 6 * 300}, 8*1_000 + 24*300 + 4*70 + 4*600},
			{levelRecord{Step: stepTail, Frontier: 600, Found: 10, Examined: 7}, 28 + 40},
		},
		"hubs and order": {
			{levelRecord{Step: stepTopDown, Extra: extraBegin | extraMeasure, Frontier: 1_000, Found: 50_000, Implied: 90_000}, 2*bitmap + 1_000*(44+16) + 90_000*4 + 50_000*8},
			{levelRecord{Step: stepDenseHubs, Extra: extraFirstDense | 2*extraMeasure, Frontier: 50_000, Found: 100_000, Followed: 3_000, Moved: 9}, dense + 4*60_000 + 2*44*50_000 + 16*50_000 + 4*3_000 + 36},
			{levelRecord{Step: stepDense, Extra: extraOrder | extraFirstDense, Frontier: 100_000}, dense + 128 + 616 + 28*100_000 + bitmap + 4*2_048},
			{levelRecord{Step: stepDenseParents, Extra: extraDeferred | extraOrdered, Found: 1_000, Listed: 348_999}, 6*bitmap + bitmap + 4*2_048 + 8*5_000},
			{levelRecord{Step: stepDenseParents, Found: 1_000, Listed: 4_000}, 5*bitmap + 8*4_000},
			{levelRecord{Step: stepList, Found: 1_000, Listed: 3_000, Examined: 9_000, Moved: 9_012}, 8*4_000 + 4*9_012 + 4*1_000 + 8*3_000},
			{levelRecord{Step: stepTail}, 8 * 3_000},
			{levelRecord{Step: stepTopDown, Extra: extraQueue | extraScatter, Frontier: 10, Implied: 20, Found: 5}, 2*bitmap + 40 + 120 + 280 + 80 + 40},
		},
	} {
		traffic := start
		for i, s := range steps {
			if got := traffic.of(s.record); got != s.want {
				t.Errorf("%s: level %d moves %d bytes, want %d", name, i, got, s.want)
			}
		}
	}
}

// checkRecords compares the words that the warps counted in each level of the last
// search with those computed from the graph. depth is the depth of each vertex.
func (c *searchCase) checkRecords(t *testing.T, depth []int) {
	t.Helper()
	control, records, err := c.member().records()
	if err != nil {
		t.Fatal(err)
	}
	if control.LevelCount > 100 {
		return // checking a level takes as long as a search on the host
	}
	degree := make([]uint32, len(depth))
	for _, row := range devicetest.Host(t, c.graph.ByDegree.Rows) {
		degree[row.Label] = row.Degree
	}
	first := devicetest.Host(t, c.packed.First)
	last := stepTopDown
	for i, r := range records {
		if r.Extra&extraQueue != 0 {
			last = stepTopDown
		}
		if !slices.Contains(stepsAfter[last], r.Step) {
			t.Fatalf("level %d has step %q after %q", i, stepNames[r.Step], stepNames[last])
		}
		firstOfStep := r.Step != last
		last = r.Step
		want, known := c.countMoved(i, r, firstOfStep, depth, degree, first)
		if known && r.Moved != want {
			t.Fatalf("level %d, %q: %d words moved, want %d: %+v", i, stepNames[r.Step], r.Moved, want, r)
		}
	}
}

// stepsAfter lists the steps that may follow a step, unless the queue is made from
// bitmaps in between.
var stepsAfter = [...][]step{
	stepTopDown:      {stepTopDown, stepDense, stepDenseHubs},
	stepDense:        {stepDense, stepDenseParents},
	stepDenseHubs:    {stepDense, stepDenseParents},
	stepDenseParents: {stepDenseParents, stepList, stepTail},
	stepList:         {stepTail},
	stepTail:         {stepTail},
}

// countMoved computes the words that the warps should count in a level: of rows, of
// neighbours after the fifth, and of parents. known is false if it cannot compute
// them.
func (c *searchCase) countMoved(level int, r levelRecord, firstOfStep bool, depth []int, degree []uint32, first []engine.Label) (words uint64, known bool) {
	if r.Step == stepDenseHubs {
		return 0, false
	}
	const furtherWords, rowWords = 8, 6
	var atFirst, near uint64
	skipsOlder := c.member().plan.kernel == "bfsFew"
	for v, d := range degree {
		if d == 0 {
			continue
		}
		unvisited, open := depth[v] < 0 || depth[v] > level, depth[first[v]] < 0 || depth[first[v]] > level
		switch r.Step {
		case stepTail:
			if unvisited && firstOfStep && d > 1 {
				words += rowWords
			}
		case stepList:
			if unvisited && open && d > 1 {
				words += rowWords
			}
		case stepDense, stepDenseParents:
			if unvisited && !open {
				atFirst++
			}
			if unvisited && open && (d > 1 || r.Step == stepDenseParents) {
				words += furtherWords
				near += min(4, uint64(d)-1)
			}
			if r.Step == stepDenseParents && unvisited { // its first neighbour is read
				words++
			}
		}
	}
	switch r.Step {
	case stepDense:
		words += r.Examined - near + uint64(r.Found) - atFirst
	case stepDenseParents:
		words += r.Examined - near + uint64(r.Found) - atFirst
		switch {
		case r.Extra&extraDeferred == 0:
			words += atFirst
		case skipsOlder:
			return 0, false // it depends on the earlier passes
		default:
			words += uint64(len(depth)) // every parent is written, and older parents are read
			for v, d := range degree {
				if d > 0 && depth[v] >= 0 && depth[v] <= level {
					words++
				}
			}
		}
	case stepList:
		words += r.Examined
	}
	return words, true
}
