package graph

import (
	"context"
	"errors"
	"math"
	"slices"
	"unsafe"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// WeightedCSR is an undirected graph in compressed sparse row format whose rows are in
// the order of the weights. Repeated edges keep their own arcs: the lightest comes
// first.
type WeightedCSR struct {
	Info engine.Graph // Duplicates is 0: none is dropped
	Index

	// Arcs holds the rows. The weights in a row ascend.
	Arcs []Arc

	// Lightest and Heads hold the beginning of every row, which decides most distances
	// of a search without an access to the row: Lightest for all rows in order, Heads
	// for single rows.
	Lightest Lightest
	Heads    []Head // n entries

	arena []uint32      // holds Arcs
	held  memory.Groups // the other arrays
}

// index declares the arrays by vertex.
func (g *WeightedCSR) index(vertices uint64) memory.Group {
	return memory.Group{Arrays: g.Index.arrays("weighted row index", vertices)}
}

// rows declares the arrays by row. Those of Lightest have 16 elements more, for vector loads.
func (g *WeightedCSR) rows(n uint64) memory.Group {
	const name = "lightest arcs"
	l := &g.Lightest
	return memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{
		memory.Of(&g.Offsets, "weighted row offsets", n+1),
		memory.Of(&l.FirstTo, name, n+16), memory.Of(&l.SecondTo, name, n+16),
		memory.Of(&l.FirstWeight, name, n+16), memory.Of(&l.SecondWeight, name, n+16), memory.Of(&l.ThirdWeight, name, n+16),
		memory.Of(&g.Heads, name, n),
	}}
}

// Arc is a directed edge to a neighbour.
type Arc struct {
	To     engine.Label
	Weight float32
}

// Lightest holds the first two arcs of every row and the weight of the third. An arc
// that does not exist has an infinite weight and leads to the neighbour of the first.
// The arrays have n entries, and more for vector loads.
type Lightest struct {
	FirstTo, SecondTo                      []engine.Label
	FirstWeight, SecondWeight, ThirdWeight []float32
}

// HeadArcs is the number of arcs in a Head.
const HeadArcs = 6

// Head is the beginning of a row, and its place in WeightedCSR.Arcs: one cache line. An
// arc that does not exist has an infinite weight and leads to the neighbour of the first.
type Head struct {
	Arcs       [HeadArcs]Arc
	Begin, End uint64
}

// ArcsOf returns the row of v, nil if it has none.
func (g *WeightedCSR) ArcsOf(v engine.Label) []Arc {
	if !g.Has(v) {
		return nil
	}
	r := g.Row(v)
	return g.Arcs[g.Offsets[r]:g.Offsets[r+1]]
}

// Close frees the memory of the graph.
func (g *WeightedCSR) Close() error {
	err := errors.Join(memory.Free(g.arena), g.held.Free())
	*g = WeightedCSR{}
	return err
}

// weightedBuilder is the state of one construction of a WeightedCSR.
type weightedBuilder struct {
	scatter
	form    sortForm
	g       *WeightedCSR
	degree  []uint32 // by own label: number of arcs
	buffers []weightedBuffers
	held    memory.Groups // degree
}

// arcRecord is an arc with its source.
type arcRecord struct {
	source engine.Label
	arc    Arc
}

const (
	rowWords    = uint64(unsafe.Sizeof(Arc{}) / 4)
	recordWords = uint64(unsafe.Sizeof(arcRecord{}) / 4)
)

// BuildWeighted constructs the weighted graph of the given tuples (kernel 1), or a share of it,
// like Build. It does not use Gather. Weights
// must be 0 or more and finite. It drops self loops; vertices without an edge have no
// row. The tuples are not modified. The result
// does not depend on the number of workers, except for the order of arcs of equal
// weight.
func BuildWeighted(ctx context.Context, team *parallel.Team, of Share, tuples engine.Tuples) (*WeightedCSR, error) {
	return newWeightedBuilder(ctx, team, of, tuples).build()
}

func newWeightedBuilder(ctx context.Context, team *parallel.Team, of Share, tuples engine.Tuples) *weightedBuilder {
	return &weightedBuilder{
		scatter: newScatter(ctx, team, of, tuples),
		form:    sortForm{rowWords, recordWords, recordWords, 0, weightedArenaWords},
		g:       &WeightedCSR{},
	}
}

func (b *weightedBuilder) build() (*WeightedCSR, error) {
	steps := []func() error{b.allocate, b.countWindows, b.sortArcs, b.indexRows, b.join, b.packLightest}
	err := b.run(steps)
	if freeErr := b.held.Free(); err == nil {
		err = freeErr
	}
	if err != nil {
		_ = b.g.Close()
		return nil, err
	}
	return b.g, nil
}

// WeightedPlan lists the memory that BuildWeighted uses, under the assumptions of Plan.
func WeightedPlan(of Share, rows, arcs uint64, workers int) []engine.Allocation {
	b := newWeightedBuilder(context.Background(), nil, of, engine.Tuples{})
	ordered, sorting := b.form.plan(of.Owned, arcs, workers, windowsOf)
	return slices.Concat([]engine.Allocation{
		{Name: "arcs by weight", Bytes: ordered},
		{Name: "weighted sorting space", Bytes: sorting, Phase: engine.Construction},
	}, b.degrees().Plan(), b.g.index(of.Owned).Plan(), b.g.rows(rows).Plan())
}

// degrees declares the degrees.
func (b *weightedBuilder) degrees() memory.Group {
	return memory.Group{Alive: engine.Construction, Arrays: []memory.Declared{memory.Of(&b.degree, "weighted degrees", 64*wordsOf(b.of.Owned))}}
}

// weightedArenaWords is arenaWords for rows and records with weights.
func weightedArenaWords(arcs uint64) uint64 {
	if all := recordWords * arcs; 4*all <= freeUse {
		return all
	}
	return rowWords*arcs + recordWords*arcs/8 // two passes need 9/4 words an arc
}

// allocate allocates the index and the degrees.
func (b *weightedBuilder) allocate() error {
	return errors.Join(b.g.held.Take(b.g.index(b.of.Owned)), b.held.Take(b.degrees()))
}

// sortArcs fills Arcs.
func (b *weightedBuilder) sortArcs() error {
	b.buffers = make([]weightedBuffers, b.team.Size())
	defer func() {
		for i := range b.buffers {
			_ = memory.Free(b.buffers[i].records)
		}
	}()
	arena, finished, err := b.groups(b.form, b.sortGroup)
	b.g.arena = arena
	if err != nil {
		return err
	}
	b.g.Arcs = wordsAs[Arc](arena)[:finished:finished]
	b.g.Info = b.info(finished)
	return memory.Release(arena, int(rowWords*finished))
}

// wordsAs returns the memory of words as elements of another type.
func wordsAs[T any](words []uint32) []T {
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), len(words)/int(unsafe.Sizeof(t)/4))
}

// sortGroup scatters the arcs of windows from..to-1 into records and sorts each
// window into rows, see groups.
func (b *weightedBuilder) sortGroup(from, to int, start []uint64, records []uint32) error {
	all := wordsAs[arcRecord](records)
	first, windows, oneWay := uint32(from), uint32(to-from), b.of.isPart()
	b.team.Run(func(worker int) {
		next := b.count[worker][from:to]
		shift := b.shift & 31
		b.workerEdges(worker, func(edges []engine.Edge, at int) {
			weights := b.tuples.Weights[at:]
			for i, e := range edges {
				if e.U == e.V && !oneWay {
					continue
				}
				if w := e.U>>shift - first; w < windows {
					p := next[w]
					next[w] = p + 1
					all[p] = arcRecord{e.U, Arc{e.V, weights[i]}}
				}
				if oneWay {
					continue
				}
				if w := e.V>>shift - first; w < windows {
					p := next[w]
					next[w] = p + 1
					all[p] = arcRecord{e.V, Arc{e.U, weights[i]}}
				}
			}
		})
	})
	if err := context.Cause(b.ctx); err != nil {
		return err
	}
	errs := make([]error, b.team.Size())
	err := b.team.For(b.ctx, to-from, 1, func(worker, lo, hi int) {
		for w := lo; w < hi; w++ {
			window := all[start[w]:start[w+1]]
			if errs[worker] == nil {
				errs[worker] = b.sortWindow(worker, window, uint32(from+w)<<b.shift)
			}
		}
	})
	return errors.Join(append(errs, err)...)
}

// sortedArcs returns the arcs that sortWindow stored in the memory of records.
func sortedArcs(records []arcRecord) []Arc {
	return unsafe.Slice((*Arc)(unsafe.Pointer(unsafe.SliceData(records))), len(records))
}

// indexRows fills the index.
func (b *weightedBuilder) indexRows() (err error) {
	b.g.Info.Connected, b.g.Info.MaxDegree, err = b.g.fill(b.team, b.degree,
		func(rows uint64) error { return b.g.held.Take(b.g.rows(rows)) })
	return err
}

// join replaces the facts of a share by those of the whole graph.
func (b *weightedBuilder) join() (err error) {
	b.g.Info, err = b.of.join(b.g.Info, b.tuples.Len())
	return err
}

// packLightest fills Lightest and Heads.
func (b *weightedBuilder) packLightest() error {
	g, l := b.g, &b.g.Lightest
	n := len(g.Offsets) - 1
	return b.team.For(b.ctx, n, 4096, func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			row := g.Arcs[g.Offsets[r]:g.Offsets[r+1]]
			var arcs [HeadArcs]Arc
			for i := copy(arcs[:], row); i < HeadArcs; i++ {
				arcs[i] = Arc{row[0].To, float32(math.Inf(1))}
			}
			g.Heads[r] = Head{arcs, g.Offsets[r], g.Offsets[r+1]}
			l.FirstTo[r], l.FirstWeight[r] = arcs[0].To, arcs[0].Weight
			l.SecondTo[r], l.SecondWeight[r] = arcs[1].To, arcs[1].Weight
			l.ThirdWeight[r] = arcs[2].Weight
		}
	})
}
