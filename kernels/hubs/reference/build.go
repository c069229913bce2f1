package reference

import (
	"cmp"
	"slices"

	"graph500/engine"
)

// builder is the state of Build. Arrays are by label of the whole graph.
type builder struct {
	chunkLabels uint64
	rank        []int      // place in the ranking
	neighbors   [][]uint32 // distinct, in the order of the ranking
	order       []uint32   // labels with a neighbour, in the order of the ranking
	hubs        int
	leaf        []bool
	vertex      []Vertex
}

// Build builds the parts of a graph of N vertices with at most that many hubs. Part p has the
// labels before ends[p] that no part before has; the last end is the number of vertices.
func Build(vertices uint64, tuples []engine.Edge, hubs int, chunkLabels uint64, ends []uint64) []*Part {
	b := &builder{chunkLabels: chunkLabels}
	b.readTuples(vertices, tuples)
	b.hubs = min(hubs, len(b.order))
	b.findLeaves()
	b.vertex = slices.Repeat([]Vertex{NoVertex}, int(vertices))
	for h, v := range b.order[:b.hubs] {
		b.vertex[v] = HubFlag | Vertex(h)
	}
	var parts []*Part
	var first, row uint64
	for _, end := range ends {
		p := &Part{ChunkLabels: chunkLabels, FirstLabel: first, EndLabel: end, FirstRow: row, Hubs: uint64(b.hubs)}
		b.numberRows(p)
		parts = append(parts, p)
		first, row = end, row+p.Rows()
	}
	for v := range b.leaf {
		if b.leaf[v] {
			b.vertex[v] = LeafFlag | b.vertex[b.neighbors[v][0]]
		}
	}
	for _, p := range parts {
		b.fill(p)
	}
	return parts
}

func (b *builder) readTuples(vertices uint64, tuples []engine.Edge) {
	count := make([]int, vertices)
	b.neighbors = make([][]uint32, vertices)
	for _, e := range tuples {
		if e.U != e.V {
			count[e.U]++
			count[e.V]++
			b.neighbors[e.U] = append(b.neighbors[e.U], uint32(e.V))
			b.neighbors[e.V] = append(b.neighbors[e.V], uint32(e.U))
		}
	}
	for v := range vertices {
		if count[v] > 0 {
			b.order = append(b.order, uint32(v))
		}
	}
	slices.SortFunc(b.order, func(v, w uint32) int { return cmp.Or(cmp.Compare(count[w], count[v]), cmp.Compare(v, w)) })
	b.rank = make([]int, vertices)
	for i, v := range b.order {
		b.rank[v] = i
	}
	for v, list := range b.neighbors {
		slices.SortFunc(list, func(v, w uint32) int { return cmp.Compare(b.rank[v], b.rank[w]) })
		b.neighbors[v] = slices.Compact(list)
	}
}

func (b *builder) isHub(v uint32) bool { return b.rank[v] < b.hubs && len(b.neighbors[v]) > 0 }

func (b *builder) findLeaves() {
	b.leaf = make([]bool, len(b.rank))
	for _, v := range b.order[b.hubs:] {
		w := b.neighbors[v][0]
		b.leaf[v] = len(b.neighbors[v]) == 1 && (b.isHub(w) || len(b.neighbors[w]) > 1 || w < v)
	}
}

// hubsOf returns the numbers of the hubs at the begin of a vertex's neighbours, rowsOf the row
// numbers of the others without the leaves.
func (b *builder) hubsOf(v uint32) (hubs []uint16) {
	for _, w := range b.neighbors[v] {
		if b.isHub(w) {
			hubs = append(hubs, uint16(b.rank[w]))
		}
	}
	return hubs
}

func (b *builder) rowsOf(v uint32) (rows []uint32) {
	for _, w := range b.neighbors[v] {
		if !b.isHub(w) && !b.leaf[w] {
			rows = append(rows, uint32(b.vertex[w]))
		}
	}
	return rows
}

// firstRow returns the first neighbour that is no leaf, None if there is none.
func (b *builder) firstRow(v uint32) uint32 {
	for _, w := range b.neighbors[v] {
		if !b.leaf[w] {
			return w
		}
	}
	return None
}

// firstKey returns the key by which rows of one class are sorted: the number of firstRow if it
// is a hub, else its label; None is the last.
func (b *builder) firstKey(v uint32) uint32 {
	w := b.firstRow(v)
	if w != None && b.isHub(w) {
		return uint32(b.rank[w])
	}
	return w
}

// numberRows numbers the rows of a part and fills RowLabels, ChunkRows and the sizes.
func (b *builder) numberRows(p *Part) {
	byFirst := func(v, w uint32) int {
		return cmp.Or(cmp.Compare(b.firstKey(v), b.firstKey(w)), cmp.Compare(v, w))
	}
	add := func(rows []uint32, align int) {
		slices.SortFunc(rows, byFirst)
		for _, v := range rows {
			b.vertex[v] = Vertex(p.FirstRow) + Vertex(len(p.RowLabels))
			p.RowLabels = append(p.RowLabels, v)
		}
		for len(p.RowLabels)%align != 0 {
			p.RowLabels = append(p.RowLabels, None)
		}
	}
	var several, single, other []uint32
	for first := p.FirstLabel; first < p.EndLabel; first += p.ChunkLabels {
		p.ChunkRows = append(p.ChunkRows, uint32(p.FirstRow)+uint32(len(p.RowLabels)))
		several = several[:0]
		for v := first; v < min(first+p.ChunkLabels, p.EndLabel); v++ {
			v := uint32(v)
			if len(b.neighbors[v]) == 0 || b.leaf[v] || b.isHub(v) {
				continue
			}
			switch len(b.hubsOf(v)) {
			case 0:
				other = append(other, v)
			case 1:
				single = append(single, v)
			default:
				several = append(several, v)
			}
		}
		add(several, RowAlign)
	}
	p.HubRows = uint64(len(p.RowLabels))
	p.ChunkRows = append(p.ChunkRows, uint32(p.FirstRow+p.HubRows))
	add(single, RowAlign)
	p.SingleRows = uint64(len(p.RowLabels)) - p.HubRows
	add(other, PartAlign)
	p.OtherRows = uint64(len(p.RowLabels)) - p.HubRows - p.SingleRows
	p.Vertices = b.vertex[p.FirstLabel:p.EndLabel]
}

// appendPieces appends a list to the pieces of an array, with the filling of unused places.
func appendPieces8(to [][HubsEach]uint16, list []uint16) [][HubsEach]uint16 {
	for piece := range slices.Chunk(list, HubsEach) {
		x := [HubsEach]uint16{NoHub, NoHub, NoHub, NoHub, NoHub, NoHub, NoHub, NoHub}
		copy(x[:], piece)
		to = append(to, x)
	}
	return to
}

func appendPieces4(to [][RowsEach]uint32, list []uint32) [][RowsEach]uint32 {
	for piece := range slices.Chunk(list, RowsEach) {
		x := [RowsEach]uint32{NoRow, NoRow, NoRow, NoRow}
		copy(x[:], piece)
		to = append(to, x)
	}
	return to
}

// fill fills the arrays of a part whose rows are numbered.
func (b *builder) fill(p *Part) {
	b.fillFirsts(p)
	p.FurtherAt, p.RowListAt, p.LeavesAt = []uint32{0}, []uint32{0}, []uint32{0}
	for row, v := range p.RowLabels {
		var hubs []uint16
		var rows []uint32
		if v != None {
			hubs, rows = b.hubsOf(v), b.rowsOf(v)
		}
		p.RowLists = appendPieces4(p.RowLists, rows)
		p.RowListAt = append(p.RowListAt, uint32(len(p.RowLists)))
		switch row := uint64(row); {
		case row < p.HubRows:
			b.addSeveral(p, v, hubs)
		case row < p.HubRows+p.SingleRows:
			p.SingleHub = append(p.SingleHub, append(hubs, NoHub)[0])
		default:
			p.FirstRows = append(p.FirstRows, append(rows, NoRow)[0])
			p.Leaves = append(p.Leaves, b.leavesOf(v)...)
			p.LeavesAt = append(p.LeavesAt, uint32(len(p.Leaves)))
		}
	}
	p.HubListAt, p.HubRowAt = []uint32{0}, []uint32{0}
	for _, v := range b.order[:b.hubs] {
		p.HubLabels = append(p.HubLabels, v)
		p.HubLists = appendPieces8(p.HubLists, b.hubsOf(v))
		p.HubListAt = append(p.HubListAt, uint32(len(p.HubLists)))
		own := slices.DeleteFunc(b.rowsOf(v), func(row uint32) bool {
			return uint64(row) < p.FirstRow || uint64(row) >= p.FirstRow+p.Rows()
		})
		p.addHubRows(own)
		p.HubRowAt = append(p.HubRowAt, uint32(len(p.HubRowList)))
	}
}

// addHubRows adds the list of the rows of a hub, in the order of their ranges.
func (p *Part) addHubRows(rows []uint32) {
	ranges := RangesOf(p.HubRows, p.SingleRows)
	rangeOf := func(row uint32) uint64 { return ranges.Of(uint64(row)-p.FirstRow, p.HubRows) }
	slices.SortStableFunc(rows, func(a, b uint32) int { return cmp.Compare(rangeOf(a), rangeOf(b)) })
	for r := range ranges.Count + 1 {
		before, _ := slices.BinarySearchFunc(rows, r, func(row uint32, r uint64) int { return cmp.Compare(rangeOf(row), r) })
		p.HubRangeAt = append(p.HubRangeAt, uint32(before))
	}
	p.HubRowList = appendPieces4(p.HubRowList, rows)
}

// fillFirsts makes the lists of first neighbours.
func (b *builder) fillFirsts(p *Part) {
	p.FirstAt = []uint32{0}
	add := func(place uint64, first uint32) {
		p.FirstPlaces, p.Firsts = append(p.FirstPlaces, uint16(place)), append(p.Firsts, first)
	}
	for begin := p.FirstLabel; begin < p.EndLabel; begin += p.ChunkLabels {
		for v := begin; v < min(begin+p.ChunkLabels, p.EndLabel); v++ {
			v := uint32(v)
			if len(b.neighbors[v]) > 0 && !b.isHub(v) && (b.leaf[v] || len(b.hubsOf(v)) < 2) {
				add(uint64(v)-begin, b.firstOf(v))
			}
		}
		for len(p.Firsts)%FirstAlign != 0 {
			add(0, None)
		}
		p.FirstAt = append(p.FirstAt, uint32(len(p.Firsts)))
	}
}

// firstOf returns the entry of Firsts of a label.
func (b *builder) firstOf(v uint32) uint32 {
	if !b.leaf[v] {
		return b.firstRow(v)
	}
	center := b.neighbors[v][0]
	if !b.isHub(center) && b.firstRow(center) == None {
		return None
	}
	return center
}

// addSeveral adds a row with two hubs or more, or an unused one.
func (b *builder) addSeveral(p *Part, v uint32, hubs []uint16) {
	head := Head{Hub: NoHub}
	seconds := [4]uint16{NoHub, NoHub, NoHub, NoHub}
	if v != None {
		head = Head{hubs[0], uint16((uint64(v) - p.FirstLabel) % p.ChunkLabels)}
		copy(seconds[:], hubs[1:])
	}
	p.Heads, p.Seconds = append(p.Heads, head), append(p.Seconds, seconds)
	if len(hubs) > HeadHubs {
		p.Further = appendPieces8(p.Further, hubs[HeadHubs:])
	}
	p.FurtherAt = append(p.FurtherAt, uint32(len(p.Further)))
}

// leavesOf returns the leaves of a vertex, in the order of the ranking.
func (b *builder) leavesOf(v uint32) (leaves []uint32) {
	if v == None {
		return nil
	}
	for _, w := range b.neighbors[v] {
		if b.leaf[w] {
			leaves = append(leaves, w)
		}
	}
	return leaves
}
