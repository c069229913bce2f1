package graph

import (
	"context"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// leafCode is the code of a leaf, above the codes of rows.
const (
	leafCode    = 1 << leafCodeBit
	leafCodeBit = 31
)

// hubBuilder is the state of one conversion.
type hubBuilder struct {
	ctx  context.Context
	team *parallel.Team
	from *CSR
	of   Share // that from is
	to   *ByHubs
	form HubForm

	priority []uint32 // by label: degree, of hub h engine.None - h
	code     []uint32 // by label: see rowCode; leafCode of a leaf
	rowBits  int      // of the numbers of rows in codes
	hubs     hubNumbers
	own      []uint32 // of a part of a graph, by own label: what other shares get of priority, then of code
	held     memory.Groups
	lists    []uint32 // of the graph; before, its rows, with hub h as engine.None - h; from.Neighbors if its memory is taken over
	used     []uint64 // by chunk: words of its lists
	runs     [][]Run  // by chunk
	workers  []*hubWorker
}

// ByHubs converts the graph, or a share of it. If keep is false, it takes over the memory of g, which
// has no rows afterwards. All shares are converted together.
//
// Each chunk is converted on its own, in the place of its rows: no list of the result is longer
// than the row it comes from. Shares first tell each other degrees, then the numbers of rows. What a
// share has of the lists of all hubs comes from its own rows.
func (g *CSR) ByHubs(ctx context.Context, team *parallel.Team, form HubForm, keep bool) (*ByHubs, error) {
	b := &hubBuilder{ctx: ctx, team: team, from: g, of: g.share, form: form, to: &ByHubs{Info: g.Info, FirstLabel: engine.Label(g.share.First)}}
	b.shortenChunks()
	err := b.build(keep)
	for _, w := range b.workers {
		_ = memory.Free(w.lists)
	}
	if freeErr := b.held.Free(); err == nil {
		err = freeErr
	}
	if err != nil {
		_ = b.to.Close()
		return nil, err
	}
	return b.to, nil
}

// temporary declares the arrays of the conversion.
func (b *hubBuilder) temporary() memory.Group {
	const name = "codes of vertices"
	vertices := 64 * wordsOf(b.of.Vertices)
	g := memory.Group{Alive: engine.Construction, Arrays: []memory.Declared{
		memory.Of(&b.priority, name, vertices), memory.Of(&b.code, name, vertices), memory.Of(&b.hubs.byLabel, name, vertices+1),
	}}
	if b.of.isPart() {
		g.Arrays = append(g.Arrays, memory.Of(&b.own, name, b.of.padded()))
	}
	return g
}

// ownPart returns where the own entries of an array by label are written.
func (b *hubBuilder) ownPart(all []uint32) []uint32 {
	if b.of.isPart() {
		return b.own
	}
	return all
}

// gather brings the own entries of all shares together in an array by label.
func (b *hubBuilder) gather(all []uint32) error {
	if !b.of.isPart() {
		return nil
	}
	return b.of.Gather(b.own, all)
}

// labels returns the own labels of a chunk, from 0.
func (b *hubBuilder) labels(chunk int) (lo, hi uint64) {
	n := b.of.Owned
	return min(uint64(chunk)<<b.form.ChunkBits, n), min(uint64(chunk+1)<<b.form.ChunkBits, n)
}

func (b *hubBuilder) chunks() int {
	return int((b.of.Owned + 1<<b.form.ChunkBits - 1) >> b.form.ChunkBits)
}

// listStart returns the place of the first arc of an own label, or of the next one with a row.
func (b *hubBuilder) listStart(v uint64) uint64 {
	g := b.from
	if v >= 64*uint64(len(g.Present)) {
		return g.Offsets[len(g.Offsets)-1]
	}
	return g.Offsets[g.Row(engine.Label(v))]
}

// shortenChunks makes chunks shorter until the lists of each are short enough for Record.List.
func (b *hubBuilder) shortenChunks() {
	b.form.ChunkBits = min(max(b.form.ChunkBits, leastChunkBits), mostChunkBits)
	for b.form.ChunkBits > leastChunkBits {
		longest := uint64(0)
		for c := range b.chunks() {
			lo, hi := b.labels(c)
			longest = max(longest, b.listStart(hi)-b.listStart(lo))
		}
		if longest <= ListPlace {
			break
		}
		b.form.ChunkBits--
	}
	b.to.ChunkBits = b.form.ChunkBits
}

func (b *hubBuilder) build(keep bool) error {
	if err := b.held.Take(b.temporary()); err != nil {
		return err
	}
	if err := b.to.held.Take(b.to.vertices(b.of.Owned)); err != nil {
		return err
	}
	b.to.Connected, b.to.Arcs = int64(len(b.from.Offsets)-1), int64(len(b.from.Neighbors))
	for range b.team.Size() {
		b.workers = append(b.workers, newHubWorker())
	}
	b.used, b.runs = make([]uint64, b.chunks()), make([][]Run, b.chunks())
	if err := b.placeLists(keep); err != nil {
		return err
	}
	for _, step := range []func() error{b.chooseHubs, b.classify, b.orderRows, b.joinRuns, b.shareRows, b.fillLists, b.joinLists, b.listHubs} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// placeLists allocates the memory of the lists, or takes over that of the rows.
func (b *hubBuilder) placeLists(keep bool) (err error) {
	if keep {
		b.lists, err = memory.Alloc[uint32](len(b.from.Neighbors))
		b.to.list = b.lists
		return err
	}
	b.lists = b.from.Neighbors
	b.to.list, b.from.arena, b.from.Neighbors = b.from.arena, nil, nil
	return nil
}

// neighbors returns the rows of the graph that is converted, as long as findFirst has not replaced
// the hubs in them.
func (b *hubBuilder) neighbors() []engine.Label {
	if b.from.Neighbors == nil {
		return b.lists
	}
	return b.from.Neighbors
}
