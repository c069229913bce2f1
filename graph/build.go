package graph

import (
	"context"
	"errors"
	"slices"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// freeUse is the number of bytes that the arena may use without saving memory: the
// scatter then needs one pass over the tuples.
const freeUse = 768 << 20

// builder is the state of one construction of a CSR.
type builder struct {
	scatter
	packing arcForm
	form    sortForm
	g       *CSR
	degree  []uint32 // by own label: number of distinct neighbours
	buffers []windowBuffers
	held    memory.Groups // degree
}

// sortForm is how a construction sorts arcs.
type sortForm struct {
	// 32-bit words of an arc in a row, before it is in one, and in a worker's buffer.
	rowWords, recordWords, bufferWords uint64
	windowWords                        uint64 // of a window in that buffer, while arcs are scattered

	arena func(arcs uint64) uint64 // words of the arena; tests replace it
}

// words returns the size of the arena for arcs of which a window has that many at most: it has room
// for the records of any window behind all other rows.
func (f sortForm) words(arcs, largest uint64) uint64 {
	return max(f.arena(arcs), f.rowWords*(arcs-largest)+f.recordWords*largest)
}

// plan returns the bytes of the rows of arcs from a number of vertices, and what else the sort
// takes: the rest of the arena and the workers' buffers. It assumes vertices of equal degree.
func (f sortForm) plan(vertices, arcs uint64, workers int, windowsOf func(vertices, arcs uint64) (shift uint, windows int)) (rows, sorting uint64) {
	shift, windows := windowsOf(vertices, arcs)
	largest := arcs / max(vertices>>shift, 1)
	words := f.words(arcs, largest)
	buffer := max(f.bufferWords*max(largest, minScratch), f.windowWords*uint64(windows))
	return 4 * f.rowWords * arcs, 4*(words-f.rowWords*arcs) + 5*buffer*uint64(min(windows, workers))
}

// Build constructs the graph of the given tuples (kernel 1), or a share of it. It drops self
// loops and repeated edges; vertices without an edge have no row. Vertex numbers must
// be below those of the graph. The tuples are not modified. Those of a share are its arcs
// without self loops, see Share.
//
// The method is a counting sort by source window, in one or more passes over the
// tuples, depending on the memory limit, followed by a sort of each window
// in cache. The result does not depend on the number of workers.
func Build(ctx context.Context, team *parallel.Team, of Share, tuples engine.Tuples) (*CSR, error) {
	return newBuilder(ctx, team, of, tuples).build()
}

func newBuilder(ctx context.Context, team *parallel.Team, of Share, tuples engine.Tuples) *builder {
	b := &builder{scatter: newScatter(ctx, team, of, tuples), g: &CSR{share: of}}
	b.use(arcFormOf(of, b.arcs()))
	return b
}

// use selects the form of packed arcs.
func (b *builder) use(f arcForm) {
	b.packing, b.windowsOf = f, f.windowsOf
	b.form = sortForm{1, uint64(f.words), 1, lineWords, func(arcs uint64) uint64 { return arenaWords(arcs, uint64(f.words)) }}
}

func (b *builder) build() (*CSR, error) {
	err := b.run([]func() error{b.allocate, b.countWindows, b.sortArcs, b.indexRows, b.join})
	if freeErr := b.held.Free(); err == nil {
		err = freeErr
	}
	if err != nil {
		_ = b.g.Close()
		return nil, err
	}
	return b.g, nil
}

// neighborsName is the name of the rows in plans.
const neighborsName = "neighbours"

// Plan lists the memory that Build uses for a share of a graph with the given numbers of rows
// and arcs in it. It assumes no self loops, no repeated edges and vertices of
// equal degree; a vertex with a large part of all tuples needs more. Memory that
// Build allocates after it has freed the sorting space belongs to the search
// phase.
func Plan(of Share, rows, arcs uint64, workers int) []engine.Allocation {
	b := newBuilder(context.Background(), nil, of, engine.Tuples{})
	forms := []arcForm{arcFormOf(of, arcs)}
	if of.isPart() { // arcs are those of an equal share: a part with fewer can get the other form
		forms = append(forms, arcFormOf(of, 0))
	}
	var neighbors, sorting uint64
	for _, f := range forms {
		b.use(f)
		n, s := b.form.plan(of.Owned, arcs, workers, b.windowsOf)
		neighbors, sorting = max(neighbors, n), max(sorting, s)
	}
	return slices.Concat([]engine.Allocation{
		{Name: neighborsName, Bytes: neighbors},
		{Name: "sorting space", Bytes: sorting, Phase: engine.Construction},
	}, b.degrees().Plan(), b.g.index(of.Owned).Plan(), b.g.rows(rows).Plan())
}

// degrees declares the degrees.
func (b *builder) degrees() memory.Group {
	return memory.Group{Alive: engine.Construction, Arrays: []memory.Declared{memory.Of(&b.degree, "degrees", b.of.padded())}}
}

// arenaWords returns the size of the arena in 32-bit words. The arena holds the
// finished rows at its beginning and behind them the arcs of one pass, of one or two words each.
// For a large graph with arcs of two words, construction needs two passes over the tuples, for which 4/3
// words an arc suffice, and, including the tuples and the row index, less than 20 bytes per tuple.
func arenaWords(arcs, recordWords uint64) uint64 {
	if recordWords == 1 || 4*recordWords*arcs <= freeUse {
		return recordWords * arcs
	}
	return arcs + arcs*7/16
}

// allocate allocates the index and the degrees.
func (b *builder) allocate() error {
	return errors.Join(b.g.held.Take(b.g.index(b.of.Owned)), b.held.Take(b.degrees()))
}

// indexRows fills the index.
func (b *builder) indexRows() (err error) {
	b.g.Info.Connected, b.g.Info.MaxDegree, err = b.g.fill(b.team, b.degree[:64*len(b.g.Present)],
		func(rows uint64) error { return b.g.held.Take(b.g.rows(rows)) })
	return err
}

// join replaces the facts of a share by those of the whole graph.
func (b *builder) join() (err error) {
	b.g.Info, err = b.of.join(b.g.Info, b.tuples.Len())
	return err
}

// sortArcs fills Neighbors.
func (b *builder) sortArcs() error {
	b.buffers = make([]windowBuffers, b.team.Size())
	defer func() {
		for i := range b.buffers {
			_ = memory.Free(b.buffers[i].words)
		}
		b.buffers = nil
	}()
	arena, finished, err := b.groups(b.form, b.sortGroup)
	b.g.arena = arena
	if err != nil {
		return err
	}
	b.g.Neighbors = arena[:finished:finished]
	b.g.Info = b.info(finished)
	return memory.Release(arena, int(finished))
}

// sortGroup scatters the arcs of windows from..to-1 into records, sorts each
// window, drops repeated arcs and stores the rows, see groups.
func (b *builder) sortGroup(from, to int, start []uint64, records []uint32) error {
	if b.packing.words == 1 {
		return sortGroup(b, from, to, start, records)
	}
	return sortGroup(b, from, to, start, wordsAs[uint64](records))
}

func sortGroup[A packedArc](b *builder, from, to int, start []uint64, all []A) error {
	errs := make([]error, b.team.Size())
	b.team.Run(func(worker int) {
		lines, err := b.buffers[worker].room((to - from) * lineWords)
		if err != nil {
			errs[worker] = err
			return
		}
		l := linesOf(b, worker, from, to, all, wordsAs[A](lines))
		b.workerEdges(worker, func(edges []engine.Edge, _ int) { l.add(edges) })
		l.flush()
	})
	if err := errors.Join(append(errs, context.Cause(b.ctx))...); err != nil {
		return err
	}
	err := b.team.For(b.ctx, to-from, 1, func(worker, w, _ int) {
		kept, err := sortWindow(b, &b.buffers[worker], all[start[w]:start[w+1]], uint64(from+w)<<b.shift)
		if err != nil {
			errs[worker] = err
		}
		b.size[from+w] = kept
	})
	return errors.Join(append(errs, err)...)
}
