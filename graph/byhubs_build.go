package graph

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// HubForm are the parameters of a ByHubs.
type HubForm struct {
	ChunkBits uint // log2 of the labels in a chunk, 6 to 16; fewer if the lists of a chunk are long
	Hubs      int  // largest number of hubs, at most MostHubs
}

const (
	leastChunkBits = 6 // a chunk is at least one word of Present
	mostChunkBits  = 16
	usualChunkBits = 12 // least of HubFormOf
	rowsPerHub     = 5  // there is one hub for so many vertices with a neighbour, or fewer
)

// HubFormOf returns the form of a graph for searches by a number of workers: each gets several
// chunks, but chunks are as long as possible, because that makes runs long.
func HubFormOf(vertices uint64, workers int) HubForm {
	chunks := uint64(8 * workers)
	chunk := bits.Len64(vertices/chunks) - 1
	return HubForm{ChunkBits: uint(min(max(chunk, usualChunkBits), mostChunkBits)), Hubs: MostHubs}
}

// leafCode is the code of a leaf, above the numbers of rows.
const leafCode = 1 << 31

// hubBuilder is the state of one conversion.
type hubBuilder struct {
	ctx  context.Context
	team *parallel.Team
	from *CSR
	of   Share // that from is
	to   *ByHubs
	form HubForm

	priority []uint32 // by label: degree, of hub h engine.None - h
	code     []uint32 // by label: the number of a row, leafCode of a leaf
	hubs     []uint16 // by label: NoHub less the number of the hub, 0 of others
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

// PlanByHubs lists the memory of Build followed by ByHubs, for a share of a graph with these numbers
// of rows and arcs in it, under the assumptions of Plan and chunks of equally many arcs.
func PlanByHubs(form HubForm, of Share, rows, arcs uint64, workers int, keep bool) []engine.Allocation {
	plan := Plan(of, rows, arcs, workers)
	b := &hubBuilder{form: form, of: of, to: new(ByHubs)}
	chunks := of.Owned>>form.ChunkBits + 1
	numbers, ofAll := of.RowNumbers(rows)
	kept := slices.Concat(b.to.vertices(of.Owned).Plan(), b.to.byRow(numbers).Plan(), b.to.runs(rows).Plan())
	if of.isPart() {
		kept = append(kept, slices.Concat(b.to.rowLabels(ofAll).Plan(), b.to.hubLists(arcs).Plan())...)
	}
	if keep {
		kept = append(kept, engine.Allocation{Name: "lists of rows and hubs", Bytes: 4 * arcs})
	}
	during := b.temporary().Plan()
	during = append(during, engine.Allocation{Bytes: 4 * (arcs / chunks) * min(chunks, uint64(workers))})
	converting, sorting := uint64(0), uint64(0) // bytes of the conversion, and of what is freed before it
	for i, a := range kept {
		converting += a.Bytes
		kept[i].Phase = engine.Searching
	}
	for _, a := range during {
		converting += a.Bytes
	}
	for i, a := range plan {
		switch {
		case a.Phase == engine.Construction: // freed before
			sorting += a.Bytes
		case a.Phase == engine.Searching: // of the rows
			converting += a.Bytes
		}
		if !keep && a.Name != neighborsName {
			plan[i].Phase = engine.Construction
		}
		if !keep && a.Phase == engine.Searching {
			plan[i].Bytes = 0
		}
	}
	plan = slices.DeleteFunc(plan, func(a engine.Allocation) bool { return a.Bytes == 0 })
	if converting > sorting {
		plan = append(plan, engine.Allocation{Name: "order by hubs", Bytes: converting - sorting, Phase: engine.Construction})
	}
	return append(plan, kept...)
}

// temporary declares the arrays of the conversion.
func (b *hubBuilder) temporary() memory.Group {
	const name = "codes of vertices"
	vertices := 64 * wordsOf(b.of.Vertices)
	g := memory.Group{Alive: engine.Construction, Arrays: []memory.Declared{
		memory.Of(&b.priority, name, vertices), memory.Of(&b.code, name, vertices), memory.Of(&b.hubs, name, vertices),
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

// RowNumbers returns the largest number of row numbers of a share with a number of rows, and of all
// shares if none has more.
func (of Share) RowNumbers(rows uint64) (own, ofAll uint64) {
	own = rowNumbers(of.Owned, rows)
	if !of.isPart() {
		return own, own
	}
	const padding = 126 // of the first and the last chunk of a share
	shares := uint64(of.Shares)
	return own, min(shares*own, rowNumbers(of.Vertices, min(of.Vertices, shares*rows))+padding*shares)
}

// rowNumbers returns the largest number of row numbers for a number of rows, in chunks of at least
// 2^12 labels.
func rowNumbers(vertices, rows uint64) uint64 {
	return (rows + 63*min(rows, vertices>>usualChunkBits+1) + 63) &^ 63
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

// chooseHubs sets the priorities and fills the labels of Hubs.
func (b *hubBuilder) chooseHubs() error {
	g, degrees := b.from, b.ownPart(b.priority)
	err := b.team.For(b.ctx, len(g.Present), 1<<10, func(_, lo, hi int) {
		for w := lo; w < hi; w++ {
			r := g.RowsBefore[w]
			for m := g.Present[w]; m != 0; m &= m - 1 {
				degrees[w<<6+bits.TrailingZeros64(m)] = uint32(g.Offsets[r+1] - g.Offsets[r])
				r++
			}
		}
	})
	if err == nil {
		err = b.gather(b.priority)
	}
	if err != nil {
		return err
	}
	clear(b.own)
	// The number of a hub in lists, engine.None - h, is no label.
	most := min(int64(min(b.form.Hubs, MostHubs)), g.Info.Connected/rowsPerHub, int64(uint64(engine.None)-b.of.Vertices))
	labels := hubsOf(b.priority, most, 2)
	b.to.Hubs = make([]HubRecord, len(labels))
	for h, v := range labels {
		b.to.Hubs[h] = HubRecord{Label: v, Degree: b.priority[v], Hub: NoHub, Next: ^uint64(0)}
		b.priority[v] = engine.None - uint32(h)
		b.hubs[v] = NoHub - uint16(h)
	}
	b.orderHubs(labels)
	return nil
}

// hubsOf returns the given number of vertices of highest degree, or fewer: those of at least a
// degree. They are in descending order of the degree, then in that of the labels.
func hubsOf(degree []uint32, want int64, leastDegree uint32) (hubs []engine.Label) {
	// Count the vertices by degree; all degrees from maxCounted on share a counter.
	const maxCounted = 1 << 16
	byDegree := make([]int64, maxCounted+1)
	for _, d := range degree {
		byDegree[min(d, maxCounted)]++
	}
	least, sum := uint32(maxCounted), byDegree[maxCounted]
	for least > leastDegree && sum+byDegree[least-1] <= want {
		least--
		sum += byDegree[least]
	}
	for v, d := range degree {
		if d >= least {
			hubs = append(hubs, engine.Label(v))
		}
	}
	slices.SortStableFunc(hubs, func(x, y engine.Label) int { return int(degree[y]) - int(degree[x]) })
	return hubs[:max(0, min(int64(len(hubs)), want))]
}

// orderHubs fills HubsByLabel.
func (b *hubBuilder) orderHubs(labels []engine.Label) {
	order := make([]uint64, len(labels)) // label and hub
	for h, v := range labels {
		order[h] = uint64(v)<<16 | uint64(h)
	}
	slices.Sort(order)
	for _, x := range order {
		b.to.HubsByLabel = append(b.to.HubsByLabel, uint16(x))
	}
}

// isHub reports whether a priority is that of a hub.
func (b *hubBuilder) isHub(priority uint32) bool {
	return engine.None-priority < uint32(len(b.to.Hubs))
}

// classify finds the leaves and counts the rows and hubs of each chunk.
func (b *hubBuilder) classify() error {
	g, neighbors, chunks, code, first := b.from, b.neighbors(), b.chunks(), b.ownPart(b.code), b.of.First
	rows, hubs := make([]uint32, chunks), make([]uint32, chunks)
	var leaves atomic.Int64
	err := b.team.For(b.ctx, chunks, 1, func(_, c, _ int) {
		lo, hi := b.labels(c)
		found := int64(0)
		for v := lo; v < hi; v++ {
			switch p := b.priority[first+v]; {
			case p == 0:
			case b.isHub(p):
				hubs[c]++
			case p == 1 && b.priority[neighbors[g.Offsets[g.Row(engine.Label(v))]]] != 1:
				code[v] = leafCode
				found++
			default:
				rows[c]++
			}
		}
		leaves.Add(found)
	})
	if err != nil {
		return err
	}
	b.to.Leaves = leaves.Load()
	b.to.Chunks = make([]Chunk, chunks+1)
	var row, hub uint64
	for c := range rows {
		b.to.Chunks[c] = Chunk{Row: uint32(row), Last: uint32(row) + rows[c], Hub: uint32(hub)}
		b.to.rows += int64(rows[c])
		row += uint64(rows[c]+63) &^ 63
		hub += uint64(hubs[c])
	}
	if err := b.numberShare(row); err != nil {
		return err
	}
	b.to.Chunks[chunks] = Chunk{Row: uint32(row), Several: uint32(row), Single: uint32(row), Last: uint32(row), Hub: uint32(hub)}
	b.to.ChunkHubs = make([]PlacedHub, hub)
	return b.to.held.Take(b.to.byRow(row))
}

// A hubWorker is the state of one worker.
type hubWorker struct {
	keys, sorted []uint64 // of the rows of a chunk: class, first hub, place

	hubs   []uint16 // among the neighbours of one vertex
	rows   []uint32
	labels []uint32 // of rows
	codes  []uint32 // of what is split, then degrees
	leaves []uint32
	lists  []uint32 // of a chunk

	bits [MostHubs/64 + 1]uint64 // for the sort of numbers of hubs
	sums [16]uint64              // one bit for each word of bits that is not 0
}

func newHubWorker() *hubWorker {
	return &hubWorker{keys: make([]uint64, 0, 1<<mostChunkBits), sorted: make([]uint64, 1<<mostChunkBits)}
}

// Keys of rows: the class from bit 32, the first hub from bit 16, the place in the chunk.
const (
	severalClass = 0 << 32
	singleClass  = 1 << 32
	otherClass   = 2 << 32
)

// orderRows fills First, ChunkOf, ChunkHubs and, of Records, Hub and Place, and gives each row
// its number.
func (b *hubBuilder) orderRows() error {
	return b.team.For(b.ctx, b.chunks(), 1, func(worker, c, _ int) {
		w := b.workers[worker]
		b.findFirst(w, c)
		w.sortKeys()
		b.numberRows(w, c)
	})
}

// findFirst finds the first neighbour of each vertex of a chunk, and the keys of its rows. It replaces
// the hubs among the neighbours by their numbers, so that the lists need no look-up for them.
func (b *hubBuilder) findFirst(w *hubWorker, c int) {
	g, neighbors, numbers, code := b.from, b.neighbors(), b.hubs, b.ownPart(b.code)
	priority, ownNumbers := b.priority[b.of.First:], b.hubs[b.of.First:]
	lo, hi := b.labels(c)
	hub := b.to.Chunks[c].Hub
	w.keys = w.keys[:0]
	at := b.listStart(lo)
	r := uint64(0)
	if lo < hi {
		r = uint64(g.Row(engine.Label(lo)))
	}
	for v := lo; v < hi; v++ {
		if priority[v] == 0 {
			b.to.First[v] = engine.None
			continue
		}
		r++
		end := g.Offsets[r]
		var best uint16
		var hubs uint32
		row := neighbors[at:end]
		list := b.lists[at:end][:len(row)]
		at = end
		for i, x := range row {
			h := uint32(numbers[x])
			best = max(best, uint16(h))
			one := (h + NoHub) >> 16 // 1 if it is a hub
			hubs += one
			list[i] = x ^ (x^(engine.None-NoHub+h))&-one
		}
		first := NoHub - best
		if best != 0 {
			b.to.First[v] = b.to.Hubs[first].Label
		} else {
			b.to.First[v] = slices.MaxFunc(row, func(x, y engine.Label) int { return cmp.Compare(b.priority[x], b.priority[y]) })
		}
		place := uint64(v - lo)
		switch own := NoHub - ownNumbers[v]; {
		case own != NoHub:
			h := &b.to.Hubs[own]
			h.First, h.Hub = b.to.First[v], first
			b.to.ChunkHubs[hub] = PlacedHub{own, uint16(place)}
			hub++
		case code[v] == leafCode:
		default:
			class := uint64(otherClass)
			if hubs > 1 {
				class = severalClass
			} else if hubs == 1 {
				class = singleClass
			}
			w.keys = append(w.keys, class|uint64(first)<<16|place)
		}
	}
}

// sortKeys sorts the keys, which are in the order of their places, by class and first hub.
func (w *hubWorker) sortKeys() {
	const digit = 9 // two of them cover class and first hub
	from, to := w.keys, w.sorted[:len(w.keys)]
	for _, shift := range []uint{16, 16 + digit} {
		var start [1 << digit]uint32
		for _, x := range from {
			start[x>>shift&(1<<digit-1)]++
		}
		sum := uint32(0)
		for i, n := range start {
			start[i] = sum
			sum += n
		}
		for _, x := range from {
			k := x >> shift & (1<<digit - 1)
			to[start[k]] = x
			start[k]++
		}
		from, to = to, from
	}
}

// numberRows gives the rows of a chunk their numbers, in the order of the keys.
func (b *hubBuilder) numberRows(w *hubWorker, c int) {
	chunk, code := &b.to.Chunks[c], b.ownPart(b.code)
	lo, _ := b.labels(c)
	runs := make([]Run, 0, 1<<10)
	several, single := 0, 0 // rows of these classes
	last := ^uint64(0)
	for i, k := range w.keys {
		class, hub, place := k>>32<<32, uint16(k>>16), uint16(k)
		b.to.Records[chunk.Row+uint32(i)] = Record{Hub: hub, Place: place}
		code[lo+uint64(place)] = b.to.FirstRow + chunk.Row + uint32(i)
		if class == otherClass {
			continue
		}
		if class == severalClass {
			several = i + 1
		}
		single = i + 1
		if k>>16 != last {
			if class == singleClass && last>>16 != singleClass>>32 {
				chunk.SingleRun = uint32(len(runs))
			}
			last = k >> 16
			runs = append(runs, Run{Hub: hub})
		}
		runs[len(runs)-1].Last = uint16(i)
	}
	if several == single {
		chunk.SingleRun = uint32(len(runs))
	}
	chunk.Several, chunk.Single = chunk.Row+uint32(several), chunk.Row+uint32(max(several, single))
	b.runs[c] = slices.Clone(runs)
	for r := chunk.Row >> 6; r < b.to.Chunks[c+1].Row>>6; r++ {
		b.to.ChunkOf[r] = uint32(c)
	}
}

// joinRuns fills Runs.
func (b *hubBuilder) joinRuns() error {
	n := uint32(0)
	for c := range b.runs {
		chunk := &b.to.Chunks[c]
		chunk.Run, chunk.SingleRun = n, chunk.SingleRun+n
		n += uint32(len(b.runs[c]))
	}
	end := &b.to.Chunks[len(b.runs)]
	end.Run, end.SingleRun = n, n
	if err := b.to.held.Take(b.to.runs(uint64(n))); err != nil {
		return err
	}
	for c, runs := range b.runs {
		copy(b.to.Runs[b.to.Chunks[c].Run:], runs)
	}
	b.runs = nil
	return nil
}

// fillLists writes the lists of each chunk to the place of its rows in the arena, and fills the
// rest of Records and Hubs.
func (b *hubBuilder) fillLists() error {
	errs := make([]error, len(b.workers))
	err := b.team.For(b.ctx, b.chunks(), 1, func(worker, c, _ int) {
		if err := b.fillChunk(b.workers[worker], c); err != nil {
			errs[worker] = err
		}
	})
	for _, e := range errs {
		if err == nil {
			err = e
		}
	}
	return err
}

func (b *hubBuilder) fillChunk(w *hubWorker, c int) error {
	lo, hi := b.labels(c)
	begin, end := b.listStart(lo), b.listStart(hi)
	if err := w.room(end - begin + 2); err != nil {
		return err
	}
	chunk, next := &b.to.Chunks[c], &b.to.Chunks[c+1]
	chunk.List = begin
	n := uint64(0)
	for i := chunk.Row; i < chunk.Last; i++ {
		record := &b.to.Records[i]
		w.split(b, b.rowOf(engine.Label(lo)+uint32(record.Place)))
		n += w.writeRow(b, record, n)
	}
	for _, h := range b.to.ChunkHubs[chunk.Hub:next.Hub] {
		hub := &b.to.Hubs[h.Hub]
		w.split(b, b.rowOf(hub.Label-b.to.FirstLabel))
		hub.All = begin + n
		n += w.writeHub(b, hub, n)
	}
	b.used[c] = n
	copy(b.lists[begin:end], w.lists[:n])
	return nil
}

// rowOf returns the row of own vertex v, numbered from 0, from lists.
func (b *hubBuilder) rowOf(v engine.Label) []uint32 {
	r := b.from.Row(v)
	return b.lists[b.from.Offsets[r]:b.from.Offsets[r+1]]
}

// room makes room for the lists of a chunk, and for two words that are written but not kept.
func (w *hubWorker) room(words uint64) (err error) {
	if uint64(len(w.lists)) < words {
		if err = memory.Free(w.lists); err == nil {
			w.lists, err = memory.Alloc[uint32](int(words))
		}
	}
	return err
}

// split splits a row of lists into hubs, rows with their labels, and leaves.
func (w *hubWorker) split(b *hubBuilder, row []uint32) {
	if n := len(row) + 1; cap(w.leaves) < n {
		n += n / 4
		w.hubs, w.rows, w.labels, w.leaves = make([]uint16, n), make([]uint32, n), make([]uint32, n), make([]uint32, n)
		w.codes = make([]uint32, n)
	}
	// The parts have no branches on the data, which would be unpredictable. The look-ups are on their
	// own, so that many are under way together.
	n := len(row) + 1
	hubs, rows, labels, leaves, codes := w.hubs[:n], w.rows[:n], w.labels[:n], w.leaves[:n], w.codes[:n]
	nh, others, lastHub := 0, 0, engine.None-uint32(len(b.to.Hubs))
	for _, v := range row {
		hubs[nh], labels[others] = uint16(^v), v
		oneOther := int((uint64(v) - uint64(lastHub) - 1) >> 63) // 1 if it is one
		others += oneOther
		nh += 1 - oneOther
	}
	code := b.code
	for i, v := range labels[:others] {
		codes[i] = code[v]
	}
	nr, nl := 0, 0
	for i, c := range codes[:others] {
		v := labels[i]
		rows[nr], labels[nr], leaves[nl] = c, v, v
		oneLeaf := int(c >> 31)
		nr += 1 - oneLeaf
		nl += oneLeaf
	}
	w.hubs, w.rows, w.labels, w.leaves = hubs[:nh], rows[:nr], labels[:nr], leaves[:nl]
}

// writeRow writes the list of a row from word n on and completes its record. It returns the
// length of the list.
func (w *hubWorker) writeRow(b *hubBuilder, r *Record, n uint64) uint64 {
	to := w.lists[n:]
	at := 0
	rows, leaves := uint32(len(w.rows)), uint32(len(w.leaves))
	r.List = uint32(n)
	if len(w.hubs) < 2 {
		r.Next = uint64(leaves)<<32 | uint64(rows)
	} else {
		r.List |= SeveralHubs
		to[0], to[1] = rows, leaves
		at = 2
	}
	w.bestRows(b.priority)
	at += copy(to[at:], w.rows)
	at += copy(to[at:], w.leaves)
	if r.List&SeveralHubs != 0 {
		var first [5]uint16
		first, at = w.firstHubs(to, at)
		r.Next = nextHubs(first[1:])
		if len(w.hubs) > len(first) {
			r.List |= FurtherHubs | MoreNeighbors
		}
	}
	if rows > 0 {
		r.List |= MoreNeighbors
	}
	if leaves > 0 {
		r.List |= HasLeaves
	}
	return uint64(at)
}

// nextHubs packs up to four numbers of hubs.
func nextHubs(hubs []uint16) uint64 {
	next := ^uint64(0)
	for i, h := range hubs[:min(4, len(hubs))] {
		next ^= uint64(h^NoHub) << (16 * i)
	}
	return next
}

// firstHubs returns the five lowest numbers among the hubs, NoHub if there are fewer, and writes
// the others, after their number, to word at. It returns the place behind them.
func (w *hubWorker) firstHubs(to []uint32, at int) (first [5]uint16, end int) {
	first = [5]uint16{NoHub, NoHub, NoHub, NoHub, NoHub}
	for _, h := range w.hubs {
		if h >= first[4] {
			continue
		}
		i := 4
		for ; i > 0 && first[i-1] > h; i-- {
			first[i] = first[i-1]
		}
		first[i] = h
	}
	if len(w.hubs) <= len(first) {
		return first, at
	}
	n := len(w.hubs) - len(first)
	further := halves(to[at:], n+2) // one more than there are, because the last hub can be among the first
	further[0] = uint16(n)
	k := 1
	for _, h := range w.hubs {
		further[k] = h
		if h > first[4] {
			k++
		}
	}
	return first, at + (n+2)/2
}

// bestRows brings the four rows of highest degree to the begin, if there are more.
func (w *hubWorker) bestRows(priority []uint32) {
	const best = 4
	if len(w.rows) <= best {
		return
	}
	degrees := w.codes[:len(w.rows)]
	for i, v := range w.labels {
		degrees[i] = priority[v]
	}
	for i := range best {
		top, most := i, degrees[i]
		for j := i + 1; j < len(degrees); j++ {
			if d := degrees[j]; d > most {
				top, most = j, d
			}
		}
		w.rows[i], w.rows[top] = w.rows[top], w.rows[i]
		degrees[i], degrees[top] = degrees[top], degrees[i]
	}
}

// writeHub writes the list of an own hub from word n on and completes its record. It returns the
// length of the list, which holds rows and leaves only if there are no other shares.
func (w *hubWorker) writeHub(b *hubBuilder, h *HubRecord, n uint64) uint64 {
	h.AllHubs, h.AllLeaves = uint32(len(w.hubs)), uint32(len(w.leaves))
	to := w.lists[n:]
	at := 0
	if len(w.hubs) > 0 {
		sorted := halves(to, len(w.hubs))
		w.sortHubs(sorted)
		h.Next = nextHubs(sorted[1:])
		at = (len(w.hubs) + 1) / 2
	}
	if b.of.isPart() {
		return uint64(at)
	}
	h.Hubs, h.Rows, h.Leaves = h.AllHubs, uint32(len(w.rows)), h.AllLeaves
	at += copy(to[at:], w.rows)
	at += copy(to[at:], w.leaves)
	return uint64(at)
}

// sortHubs writes the hubs by rising number. It sets a bit for each, and reads the bits in order.
func (w *hubWorker) sortHubs(to []uint16) {
	for _, h := range w.hubs {
		w.bits[h>>6] |= 1 << (h & 63)
		w.sums[h>>12] |= 1 << (h >> 6 & 63)
	}
	n := 0
	for i := range w.sums {
		for s := w.sums[i]; s != 0; s &= s - 1 {
			word := i<<6 + bits.TrailingZeros64(s)
			for m := w.bits[word]; m != 0; m &= m - 1 {
				to[n] = uint16(word<<6 + bits.TrailingZeros64(m))
				n++
			}
			w.bits[word] = 0
		}
		w.sums[i] = 0
	}
}

// joinLists moves the lists of all chunks together and frees the rest of their memory.
func (b *hubBuilder) joinLists() error {
	g := b.to
	n := uint64(0)
	to := make([]uint64, len(b.used))
	for c, used := range b.used {
		to[c] = n
		n += used
	}
	for c := 0; c < len(to); {
		// Chunks whose new places end before the lists of the first of them are moved together.
		end := c + 1
		for end < len(to) && to[end]+b.used[end] <= g.Chunks[c].List {
			end++
		}
		if err := b.team.For(b.ctx, end-c, 1, func(_, i, _ int) { b.moveLists(c+i, to[c+i]) }); err != nil {
			return err
		}
		c = end
	}
	g.Chunks[len(b.used)].List = n
	g.Lists = g.list[:n:n]
	return memory.Release(g.list, int(n))
}

// moveLists moves the lists of a chunk to a place in front of theirs.
func (b *hubBuilder) moveLists(c int, to uint64) {
	chunk, next := &b.to.Chunks[c], &b.to.Chunks[c+1]
	copy(b.lists[to:], b.lists[chunk.List:][:b.used[c]])
	moved := chunk.List - to
	chunk.List = to
	for _, h := range b.to.ChunkHubs[chunk.Hub:next.Hub] {
		b.to.Hubs[h.Hub].All -= moved
	}
}
