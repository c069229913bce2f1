package cpu

import (
	"fmt"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// results are those of a search. Validation reads parents of 32 bits. With labels of 48 bits in the
// tuples the results of a search are parents of 64 bits, -1 for an unvisited vertex. The search by
// depths of hubs and those on parts write them; those of the other methods, of 32 bits, are converted
// at their end, which is part of the search. Validation narrows what each search delivered, so that no
// entry is checked but the result, and Keep does it in the place of a copy.
type results struct {
	engine.Results
	wide []int64 // nil with labels of 32 bits
}

// arrays declares the results of a number of vertices; own those of the method, wide the parents
// of 64 bits, none with labels of 32 bits.
func (r *results) arrays(k engine.Kernel, vertices uint64, isWide, integers bool) (own, wide memory.Group) {
	name := fmt.Sprintf("results (%s)", k)
	own = memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{memory.Of(&r.Parents, name, vertices)}}
	switch {
	case k == engine.SSSP && integers:
		own.Arrays = append(own.Arrays, memory.Of(&r.Exact, name, vertices))
	case k == engine.SSSP:
		own.Arrays = append(own.Arrays, memory.Of(&r.Distances, name, vertices))
	}
	wide.Alive = engine.Searching
	if isWide {
		wide.Arrays = []memory.Declared{memory.Of(&r.wide, fmt.Sprintf("parents of 64 bits (%s)", k), vertices)}
	}
	return own, wide
}

// parts calls f with the bounds of equal parts of the results, each on a worker.
func (r *results) parts(team *parallel.Team, f func(lo, hi int)) {
	team.Run(func(worker int) { f(parallel.Split(len(r.Parents), team.Size(), worker)) })
}

// clear sets all parents to engine.None and all distances to those of an unvisited vertex.
func (r *results) clear(team *parallel.Team) {
	r.parts(team, func(lo, hi int) {
		fill(r.Parents[lo:hi], engine.None)
		if r.Distances != nil {
			fill(r.Distances[lo:hi], engine.Unreached)
		}
		if r.Exact != nil {
			fill(r.Exact[lo:hi], engine.UnreachedExact)
		}
		if r.wide != nil {
			fill(r.wide[lo:hi], -1)
		}
	})
}

// clearNarrow clears the parents of 32 bits that are not the results.
func (r *results) clearNarrow(team *parallel.Team) {
	r.parts(team, func(lo, hi int) { fill(r.Parents[lo:hi], engine.None) })
}

// widen makes the parents of a search, of 32 bits, the results.
func (r *results) widen(team *parallel.Team) {
	if r.wide == nil {
		return
	}
	r.parts(team, func(lo, hi int) {
		widenParents(r.wide[lo:hi], r.Parents[lo:hi])
	})
}

// widenParents sets parents of 64 bits to those of 32 bits.
func widenParents(to []int64, from []engine.Label) {
	to = to[:len(from)]
	for i, p := range from {
		wide := int64(p)
		if p == engine.None {
			wide = -1
		}
		to[i] = wide
	}
}

// copyTo copies the results to others of the same kernel, or to their own memory, with parents of
// 32 bits: engine.Beyond for one that is no label of 32 bits.
func (r *results) copyTo(team *parallel.Team, to engine.Results) {
	r.parts(team, func(lo, hi int) {
		if r.wide == nil {
			copy(to.Parents[lo:hi], r.Parents[lo:hi])
		} else {
			narrow(to.Parents[lo:hi], r.wide[lo:hi])
		}
		if to.Distances != nil {
			copy(to.Distances[lo:hi], r.Distances[lo:hi])
		}
		if to.Exact != nil {
			copy(to.Exact[lo:hi], r.Exact[lo:hi])
		}
	})
}

// narrow sets parents of 32 bits to those of 64 bits, engine.Beyond for one that is no label of
// 32 bits.
func narrow(to []engine.Label, from []int64) {
	for i, p := range from {
		parent := engine.Label(p)
		switch {
		case p == -1:
			parent = engine.None
		case uint64(p) >= uint64(engine.Beyond):
			parent = engine.Beyond
		}
		to[i] = parent
	}
}

// fill sets all elements to a value. Copies of doubling length are faster than a loop of
// stores, which the compiler does not vectorise.
func fill[T any](part []T, value T) {
	const seed = 1024
	for i := range part[:min(seed, len(part))] {
		part[i] = value
	}
	for n := seed; n < len(part); n *= 2 {
		copy(part[n:], part[:n])
	}
}
