//go:build cuda

package sssp

import (
	"graph500/device"
	"graph500/engine"
)

// capacity holds the lengths of the lists of a search, and the number of hubs, a multiple of 32 for
// each device.
type capacity struct{ log, queue, kept, hubs uint64 }

// capacities returns the lengths for a device with some of the rows of all. A search of an official
// graph of n rows logs about 0.1 n items and keeps about 0.4 n arcs. Each warp has an equal share
// of the kept arcs, and each warp claims parts of the log. Each of several devices makes all pushes, so
// its log and queues are as long as those of one. peerowners.cuh divides the queues, so their length must
// be the same on all devices.
func capacities(all, own uint64, devices int, p policy) capacity {
	c := capacity{log: all + device.MaxBlocks*threads/32*logClaim, queue: all + 1<<16, kept: 2*own + device.MaxBlocks<<10}
	if all >= leastHubRows {
		c.hubs = p.hubs(all, devices)
	}
	return c
}

// lightCapacity returns the largest number of light arcs that a search of n rows uses. Official
// graphs have 0.50 n at scale 20 and, with a step of 1, 0.22 n at scale 26.
func lightCapacity(rows uint64) uint64 { return min(rows/8*5+1<<10, 1<<28) }

// rowSizes are the sizes of a graph, or of a part of it, that determine the working memory.
type rowSizes struct {
	vertices uint64 // N
	rows     uint64 // n, of the device
	numbers  uint64 // of the rows of all devices, used or not
}

// group declares the working memory of a search.
func (s *searching) group(z rowSizes, c capacity) device.Group {
	words := (max(z.vertices, z.numbers) + 31) / 32
	return device.Group{Alive: engine.Search, Arrays: []device.Declared{
		device.Of(&s.Best, "distances and parents by row", z.numbers),
		device.Of(&s.Touched, "bitmap of reached vertices", (z.rows+31)/32),
		device.Of(&s.Log, "log of reached vertices", c.log),
		device.Of(&s.Queues[0], "queue of improvements", c.queue),
		device.Of(&s.Queues[1], "next queue of improvements", c.queue),
		device.Of(&s.Light, "light arcs", lightCapacity(z.numbers)),
		device.Of(&s.Segments, "segments of light arcs", lightCapacity(z.numbers)/2),
		device.Of(&s.Seen, "seen distances of segments", lightCapacity(z.numbers)/2),
		device.Of(&s.Kept, "kept arcs", c.kept),
		device.Of(&s.Targets, "numbers of kept arcs", (z.numbers+15)/16),
		device.Of(&s.Staying, "bitmap of targets of kept arcs", words),
		device.Of(&s.Open, "bitmap of open hubs", (c.hubs+31)/32),
		device.Of(&s.HubBest, "distances of hubs", c.hubs),
		device.Of(&s.Marks[0], "bitmap of changed vertices", words),
		device.Of(&s.Marks[1], "next bitmap of changed vertices", words),
		device.Of(&s.Marks[2], "third bitmap of changed vertices", words),
		device.Of(&s.Control, "control block of SSSP", 1),
		device.Of(&s.Rounds, "records of rounds", maxRecords),
		device.Of(&s.Any, "flag of the search without lists", 2),
	}}
}

// group declares the memory of the only device or of one of several.
func (m *member) group(z rowSizes, c capacity, several bool) device.Group {
	if !several {
		return m.state.group(z, c)
	}
	group := m.state.group(z, c)
	group.Arrays = append(group.Arrays,
		device.Of(&m.totals, "sums of barriers of SSSP", 4*2*device.MostTogether),
		device.Of(&m.control, "barriers of SSSP", 1))
	return group
}

// Plan lists the memory of one device of a search on that many. The
// graph has N vertices and n rows, and no device has more than the given rows.
func Plan(vertices, rows, ownRows uint64, devices int) []engine.Allocation {
	numbers := ownRows
	if devices > 1 {
		numbers = uint64(devices) * ((ownRows + 31) / 32 * 32)
	}
	return new(member).group(rowSizes{vertices, ownRows, numbers}, capacities(rows, ownRows, devices, policyOf(rows, devices, false)), devices > 1).Plan()
}
