//go:build cuda

package bfs

import (
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
)

// checkPacked compares a packed graph with one made by simple loops over the rows.
func (c *searchCase) checkPacked(t *testing.T) {
	t.Helper()
	const minorBits = 11 // low bits of a label in Minors
	g, p, plan := c.graph, &c.packed, c.hubs
	rows, hubs, used := devicetest.Host(t, g.ByDegree.Rows), devicetest.Host(t, g.ByDegree.Hubs), 0
	for _, row := range rows { // duplicates leave words at the end
		used += int(min(uint64(row.Degree), uint64(g.Prefix)+1))
	}
	neighbors := devicetest.First(t, g.ByDegree.Neighbors, used)
	labels := (int(g.Info.Vertices) + taskLabels - 1) / taskLabels * taskLabels
	number, minor := make(map[engine.Label]uint16), make(map[engine.Label]uint32)
	for i, h := range hubs[:min(len(hubs), plan.hubs+plan.minorHubs)] {
		if i < plan.hubs {
			number[h] = uint16(i)
		} else {
			minor[h] = uint32(i - plan.hubs)
		}
	}
	if c.packing.hubs != uint64(len(number)) || c.packing.minors != uint64(len(minor)) {
		t.Errorf("%d hubs and %d minor hubs, want %d and %d", c.packing.hubs, c.packing.minors, len(number), len(minor))
	}
	hub := func(v engine.Label) uint16 {
		if n, ok := number[v]; ok {
			return n
		}
		return noHub
	}
	hasRow, hasFurther, first := make([]uint32, labels/32), make([]uint32, labels/32), make([]engine.Label, labels)
	secondIsHub, isHub := make([]uint32, labels/32), make([]uint32, labels/32)
	firstHub := slices.Repeat([]uint16{noHub}, labels)
	starts, minorStarts := make([]uint32, labels/taskLabels+1), make([]uint32, labels/taskLabels+1)
	further := make([]Further, len(rows))
	var exceptions []Exception
	var minors []uint32
	var hubRows []HubRow
	var hubArcs []HubArcs
	for r, row := range rows {
		v := row.Label
		list := neighbors[row.Start:][:min(row.Degree, g.Prefix)]
		if row.Degree > g.Prefix { // the tail
			sector := neighbors[row.Start:][g.Prefix]
			list = slices.Concat(list, g.ByDegree.Tails.Host()[8*uint64(sector):][:row.Degree-g.Prefix])
		}
		hasRow[v/32] |= 1 << (v % 32)
		first[v] = list[0]
		if hub(v) != noHub {
			isHub[v/32] |= 1 << (v % 32)
		}
		if len(list) > 1 && hub(list[1]) != noHub {
			secondIsHub[v/32] |= 1 << (v % 32)
		}
		if len(list) > 1 {
			hasFurther[v/32] |= 1 << (v % 32)
		}
		firstHub[v] = hub(list[0])
		count := func(starts []uint32) {
			for task := int(v)/taskLabels + 1; task < len(starts); task++ {
				starts[task]++
			}
		}
		if m, ok := minor[first[v]]; ok {
			minors = append(minors, m<<minorBits|uint32(v)%(1<<minorBits))
			count(minorStarts)
		} else if firstHub[v] == noHub {
			exceptions = append(exceptions, Exception{v, first[v]})
			count(starts)
		}
		further[r].Row = row.Start | min(uint64(row.Degree), 1<<24-1)<<40
		for i := range 4 {
			further[r].HubNumbers[i] = 65534
			if i+1 < len(list) {
				further[r].HubNumbers[i], further[r].Next[i] = hub(list[i+1]), list[i+1]
			}
		}
		hubRows = append(hubRows, HubRow{HubNumbers: [5]uint16{65534, 65534, 65534, 65534, 65534}, Start: uint32(len(hubArcs))})
		for i, w := range list[1:] {
			h := hub(w)
			if h == noHub {
				break
			}
			if i < 5 {
				hubRows[r].HubNumbers[i] = h
				continue
			}
			if i%8 == 5 {
				hubArcs = append(hubArcs, HubArcs(slices.Repeat([]uint16{65534}, 8)))
			}
			hubArcs[len(hubArcs)-1][(i-5)%8] = h
			hubRows[r].More++
		}
	}
	if !plan.hubRows || c.withoutHubRows {
		hubRows, hubArcs = nil, nil
	}
	for name, same := range map[string]bool{
		"hasRow":         slices.Equal(devicetest.Host(t, p.HasRow), hasRow),
		"hasFurther":     slices.Equal(devicetest.Host(t, p.HasFurther), hasFurther),
		"secondIsHub":    slices.Equal(devicetest.Host(t, p.SecondIsHub), secondIsHub),
		"isHub":          slices.Equal(devicetest.Host(t, p.IsHub), isHub),
		"first":          slices.Equal(devicetest.Host(t, p.First), first),
		"firstHub":       slices.Equal(devicetest.Host(t, p.FirstHub), firstHub),
		"minorStart":     slices.Equal(devicetest.Host(t, p.MinorStart), minorStarts),
		"minors":         slices.Equal(devicetest.Host(t, p.Minors), minors),
		"hubRows":        slices.Equal(devicetest.Host(t, p.HubRows), hubRows),
		"hubArcs":        slices.Equal(devicetest.Host(t, p.HubArcs), hubArcs),
		"exceptionStart": slices.Equal(devicetest.Host(t, p.ExceptionStart), starts),
		"exceptions":     slices.Equal(devicetest.Host(t, p.Exceptions), exceptions),
		"further":        slices.Equal(devicetest.Host(t, p.Further), further),
	} {
		if !same {
			t.Errorf("%d vertices, %d rows: %s differs from the rows", g.Info.Vertices, len(rows), name)
		}
	}
}

func TestPack(t *testing.T) {
	d := devicetest.Open(t)
	pairs := func(n int) (tuples []engine.Edge) {
		for v := range engine.Label(n) {
			tuples = append(tuples, engine.Edge{U: 2 * v, V: 2*v + 1})
		}
		return tuples
	}
	for _, c := range []struct {
		name     string
		vertices int
		tuples   []engine.Edge
	}{
		{"one edge", 2, []engine.Edge{{U: 0, V: 1}}},
		{"one edge at the end", 100000, []engine.Edge{{U: 99999, V: 1}}},
		{"largest number of hubs", 65534, pairs(65534 / 2)},
		{"exceptions", 150001, pairs(75000)},
		{"star", 1537, star(1537, 700)},
		{"official", 1 << 12, devicetest.OfficialTuples(12)},
	} {
		t.Run(c.name, func(t *testing.T) { newSearchCase(t, d, c.vertices, c.tuples).close(t) })
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range devicetest.Sized(30, 6) {
		vertices := 2 + r.IntN(devicetest.Sized(5000, 2000))
		c := newSearchCase(t, d, vertices, devicetest.RandomTuples(r, vertices))
		for range 3 {
			c.packWithFewHubs(t, r)
		}
		plan := hubPlan{r.IntN(vertices), r.IntN(vertices), true}
		c.pack(t, plan, 0)
		// free is the memory before HubRows and HubArcs are made, need the memory for
		// them.
		free := c.free
		for _, g := range []device.Group{c.packed.mainGroup(c.packing.sizes), c.packed.listGroup(c.packing.sizes)} {
			free -= g.Bytes()
		}
		rows := c.packed.hubRowGroup(c.packing.sizes).Bytes()
		need := rows + c.packed.hubArcGroup(c.packing.sizes).Bytes()
		for _, memory := range []uint64{need, need - 1, rows - 1, 0} {
			c.withoutHubRows = memory < need
			c.pack(t, plan, free-memory)
		}
		c.withoutHubRows = false
		c.close(t)
	}
}
