package partition

import "math"

// This file holds the rules of CuSP (Hoang et al., IPDPS 2019, doi 10.1109/ipdps.2019.00054)
// and one more owner rule. A policy is two of them (getMaster and getEdgeOwner of CuSP). A rule is
// a function here and a line of a table in policy.go; commands, files, checks and tests take a new
// line as it is, and Extra keeps it out of -policy=all.
//
// A rule for masters gets the graph's size (Props), the row, and, if it asks for that (Streams),
// the number of neighbours in each part and the loads, to which it adds. A rule for arcs returns a
// function of row, degree and master of both ends. hdrf is a rule with a state: it says Ordered,
// and each part then has a function of its own, which gets the arcs that the part reads in order.

// contiguous gives each part the same number of consecutive rows.
func contiguous(p *Props, r Row, _ func() []uint32, _ []Load) int {
	return Block(r.Number, p.Rows, p.Parts)
}

// contiguousEB gives each part the rows that it reads, which have about the same number of
// arcs.
func contiguousEB(p *Props, r Row, _ func() []uint32, _ []Load) int { return p.Reader(r) }

// fennel chooses the part with most neighbours, less a penalty that grows with its rows.
func fennel(p *Props, r Row, near func() []uint32, loads []Load) int {
	best := mostNeighbors(p, near(), func(part int) float64 { return float64(loads[part].Rows) })
	loads[best].add(r)
	return best
}

// fennelEB is fennel with a penalty that grows with rows and arcs. Hubs go to the part that
// reads them, and count for no load.
func fennelEB(p *Props, r Row, near func() []uint32, loads []Load) int {
	if r.Degree > p.Threshold {
		return p.Reader(r)
	}
	perArc := float64(p.Rows) / float64(p.Arcs)
	best := mostNeighbors(p, near(), func(part int) float64 {
		l := loads[part]
		return (float64(l.Rows) + float64(perArc*float64(l.Arcs))) / 2
	})
	loads[best].add(r)
	return best
}

// mostNeighbors returns the part with the highest score of Fennel for a row with so many
// neighbours in each part, the last one among equals. The conversions of products forbid
// fused operations, which round differently.
func mostNeighbors(p *Props, near []uint32, load func(part int) float64) (best int) {
	n, arcs := float64(p.Rows), float64(p.Arcs)
	const gamma = 1.5
	weight := float64(arcs*math.Sqrt(float64(p.Parts))) / float64(n*math.Sqrt(n)) * gamma
	top := math.Inf(-1)
	for part := range p.Parts {
		if score := float64(near[part]) - float64(weight*math.Sqrt(load(part))); score >= top {
			top, best = score, part
		}
	}
	return best
}

// source gives an arc to the master of its source.
func source(*Props) func(from, to End) int {
	return func(from, _ End) int { return from.Master }
}

// hybrid gives the arcs of hubs to the master of their destination, others to that of their
// source.
func hybrid(p *Props) func(from, to End) int {
	threshold := p.Threshold
	return func(from, to End) int {
		if from.Degree > threshold {
			return to.Master
		}
		return from.Master
	}
}

// cartesian gives an arc to the part in the row of its source's master and in the column of
// its destination's in a grid of all parts.
func cartesian(p *Props) func(from, to End) int {
	columns := p.Columns()
	var rowOf, columnOf [MostParts]int
	for part := range p.Parts {
		rowOf[part], columnOf[part] = part/columns*columns, part%columns
	}
	return func(from, to End) int { return rowOf[from.Master%MostParts] + columnOf[to.Master%MostParts] }
}

// hdrf gives an arc to a part that has proxies of its ends, above all of the end of lower
// degree, less a penalty for parts with many arcs (HDRF: Petroni et al., CIKM 2015,
// doi 10.1145/2806416.2806424, with its lambda = 1). A stream knows the proxies and arcs of
// its own arcs only. Among equals, the last part wins.
func hdrf(p *Props) func(from, to End) int {
	proxies := make([]uint64, p.Rows) // by row, sets of parts
	arcs := make([]uint64, p.Parts)
	at := func(e End) uint64 { return proxies[e.Row] | 1<<e.Master }
	return func(from, to End) (best int) {
		f, t := at(from), at(to)
		sum := float64(from.Degree + to.Degree)
		nearFrom, nearTo := 2-float64(from.Degree)/sum, 2-float64(to.Degree)/sum
		least, most := arcs[0], arcs[0]
		for _, n := range arcs {
			least, most = min(least, n), max(most, n)
		}
		top := math.Inf(-1)
		for part, n := range arcs {
			score := float64(most-n) / float64(1+most-least)
			if f>>part&1 != 0 {
				score += nearFrom
			}
			if t>>part&1 != 0 {
				score += nearTo
			}
			if score >= top {
				top, best = score, part
			}
		}
		proxies[from.Row], proxies[to.Row] = f|1<<best, t|1<<best
		arcs[best]++
		return best
	}
}
