package cpu

import (
	"context"
	"math"
	"math/bits"
	"sync/atomic"

	"graph500/engine"
	"graph500/graph"
)

// keptArc is an arc to a vertex that the pull has handled, from a vertex whose distance
// was not final. It can lead to a smaller distance.
type keptArc struct {
	to, from engine.Label
	weight   float32
}

// pullWorker holds the lists of one worker.
type pullWorker struct {
	block    pullBlock
	kept     []keptArc
	segments []keptSegment
	improved [sweepBatch + 16]engine.Label // of a batch of a sweep, and room for a store of 16 labels
	found    int64
	examined int64
	touched  uint64 // keeps the compiler from removing loads ahead of their use
	_        [64]byte
}

// keptSegment is a part of a worker's kept arcs. All kept arcs to the vertices of a bitmap word
// are in one segment.
type keptSegment struct {
	worker   *pullWorker
	from, to int
}

// pullBlock is what the first step of the pull leaves of a block of labels: the vertices
// that need more than two arcs, and the kept arcs.
type pullBlock struct {
	vertex, row                  [blockVertices + 16]uint32
	keptTo, keptFrom, keptWeight [2*blockVertices + 16]uint32 // the weights are bits

	// Lists of pull512: all rows, and those that need the second arc, with the best distance and the
	// weight of the third arc. Offsets are labels less the first label of the block.
	//lint:ignore U1000 The assembly uses them.
	offset, own, needOffset, needRow, needBest, needTo, needWeight, needNext [blockVertices + 16]uint32
}

const (
	// blockWords is the number of bitmap words that pass one step of the pull before the
	// next step begins.
	blockWords    = 32
	blockVertices = 64 * blockWords
	// pullWords is the number of bitmap words that a worker takes at a time.
	pullWords = 2 * blockWords
)

// pull lets every vertex at the bound or above it relax its arcs, and keeps the arcs that step 4
// needs.
func (s *bounded) pull(ctx context.Context) (engine.Level, error) {
	for _, w := range s.pulls {
		w.kept, w.segments, w.found, w.examined = w.kept[:0], w.segments[:0], 0, 0
	}
	err := s.team.For(ctx, len(s.g.Present), pullWords, func(worker, lo, hi int) {
		w := s.pulls[worker]
		first := len(w.kept)
		for ; lo < hi; lo += blockWords {
			open, kept := s.pullFirst(w, lo, min(lo+blockWords, hi))
			s.pullRest(w, open)
			s.keepArcs(w, kept)
		}
		if len(w.kept) > first {
			w.segments = append(w.segments, keptSegment{w, first, len(w.kept)})
		}
	})
	l := engine.Level{}
	for _, w := range s.pulls {
		l.Found += w.found
		l.Examined += w.examined
	}
	return l, err
}

// pullFirstGo relaxes the first arc of the vertices of the own bitmap words lo..hi-1, and the
// second arc of those that need it. It returns the numbers of open vertices and kept
// arcs in the block.
func (s *bounded) pullFirstGo(w *pullWorker, lo, hi int) (open, kept int) {
	g, b, bound := s.g, &w.block, math.Float32bits(s.bound)
	l := &g.Lightest
	for word := lo; word < hi; word++ {
		r := g.RowsBefore[word]
		for m := g.Present[word]; m != 0; m &= m - 1 {
			v := s.first + engine.Label(word<<6+bits.TrailingZeros64(m))
			row := r
			r++
			old := s.distances[v]
			if old < bound {
				continue
			}
			best, parent := min(old, engine.InfiniteBits), engine.None
			arcs := [2]graph.Arc{{To: l.FirstTo[row], Weight: l.FirstWeight[row]}, {To: l.SecondTo[row], Weight: l.SecondWeight[row]}}
			isOpen := true
			for i, next := range []float32{l.SecondWeight[row], l.ThirdWeight[row]} {
				w.examined++
				keep := false
				if best, parent, keep = s.pullArc(arcs[i], best, parent); keep {
					b.keptTo[kept], b.keptFrom[kept], b.keptWeight[kept] = v, arcs[i].To, math.Float32bits(arcs[i].Weight)
					kept++
				}
				if isOpen = math.Float32bits(s.least+next) < best; !isOpen {
					break
				}
			}
			if parent != engine.None {
				atomic.StoreUint32(&s.distances[v], best)
				s.parents[v-s.first] = parent
			}
			if isOpen {
				b.vertex[open], b.row[open] = v, row
				open++
			} else if best < engine.InfiniteBits {
				w.found++
			}
		}
	}
	return open, kept
}

// pullArc relaxes an arc of a vertex with the given best distance and parent, if the neighbour is
// reached. It reports whether the arc must be kept, because the distance of the neighbour is not
// final and could still lead to less.
func (s *bounded) pullArc(arc graph.Arc, best uint32, parent engine.Label) (uint32, engine.Label, bool) {
	d := atomic.LoadUint32(&s.distances[arc.To])
	if t := add(min(d, engine.InfiniteBits), arc.Weight); t < best {
		best, parent = t, arc.To
	}
	bound := math.Float32bits(s.bound)
	return best, parent, d >= bound && math.Float32bits(s.bound+arc.Weight) < best
}

// pullRest relaxes the arcs of the first n open vertices from the third on.
func (s *bounded) pullRest(w *pullWorker, n int) {
	g, b := s.g, &w.block
	var touched uint64
	for _, r := range b.row[:n] {
		touched += g.Heads[r].Begin
	}
	w.touched = touched
	for i, v := range b.vertex[:n] {
		head := &g.Heads[b.row[i]]
		best, parent := min(s.distances[v], engine.InfiniteBits), engine.None
		first := len(w.kept)
		row := head.Arcs[2:]
		for next := head.Begin + graph.HeadArcs; ; next += uint64(len(row)) {
			ended := false
			for _, arc := range row {
				if ended = math.Float32bits(s.least+arc.Weight) >= best; ended {
					break
				}
				w.examined++
				keep := false
				if best, parent, keep = s.pullArc(arc, best, parent); keep {
					w.kept = append(w.kept, keptArc{v, arc.To, arc.Weight})
				}
			}
			if ended || next >= head.End {
				break
			}
			row = g.Arcs[next:head.End]
		}
		if parent != engine.None {
			atomic.StoreUint32(&s.distances[v], best)
			s.parents[v-s.first] = parent
		}
		if best < engine.InfiniteBits {
			w.found++
		}
		if len(w.kept) > first { // best has become smaller since
			w.kept = w.kept[:first+keepBelow(w.kept[first:], s.bound, best)]
		}
	}
}

// keepArcs moves the first n kept arcs of the block that can still lead to less to the
// worker's list.
func (s *bounded) keepArcs(w *pullWorker, n int) {
	b := &w.block
	for i, v := range b.keptTo[:n] {
		weight := math.Float32frombits(b.keptWeight[i])
		if math.Float32bits(s.bound+weight) < s.distances[v] {
			w.kept = append(w.kept, keptArc{v, b.keptFrom[i], weight})
		}
	}
}

// keepBelow moves the arcs that can lead to a distance below best to the front and
// returns their number.
func keepBelow(kept []keptArc, bound float32, best uint32) int {
	n := 0
	for _, arc := range kept {
		if math.Float32bits(bound+arc.weight) < best {
			kept[n] = arc
			n++
		}
	}
	return n
}

// sampleSize is about the number of vertices in the sample of all ranks.
const sampleSize = 1024

// samplePull returns the number of vertices at the bound or above it in a sample, one of
// every stride bitmap words, and of those that the pull would decide with few arcs. The words
// and vertices are scattered, because the labels of a grid have a period.
func (s *bounded) samplePull(stride int) (asked, decided int64) {
	g, bound := s.g, math.Float32bits(s.bound)
	for first := 0; first < len(g.Present); first += stride {
		scatter := uint64(first+1) * 0x9e3779b97f4a7c15 // 2^64 / golden ratio
		word := first + int(scatter>>32)%min(stride, len(g.Present)-first)
		if g.Present[word] == 0 {
			continue
		}
		turn := int(scatter >> 58)
		own := engine.Label(word<<6 + (turn+bits.TrailingZeros64(bits.RotateLeft64(g.Present[word], -turn)))&63)
		if s.distances[s.first+own] < bound {
			continue
		}
		asked++
		const few = 4
		r := g.Row(own)
		row := g.Arcs[g.Offsets[r]:g.Offsets[r+1]]
		for _, arc := range row[:min(few, len(row))] {
			if s.distances[arc.To] < bound {
				decided++
				break
			}
		}
	}
	return asked, decided
}
