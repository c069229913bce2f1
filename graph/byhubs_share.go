package graph

import (
	"fmt"
	"math/bits"

	"graph500/parallel"
)

// numberShare gives the share its row numbers, of which it needs so many, and allocates the arrays
// by row.
func (b *hubBuilder) numberShare(rows uint64) error {
	counts := []uint32{uint32(rows)}
	if b.of.isPart() {
		counts = make([]uint32, b.of.Shares)
		if err := b.of.Gather([]uint32{uint32(rows)}, counts); err != nil {
			return err
		}
	}
	b.to.FirstRows = make([]int, len(counts)+1)
	for share, n := range counts {
		b.to.FirstRows[share+1] = b.to.FirstRows[share] + int(n)
	}
	if b.to.FirstRows[len(counts)] > leafCode {
		return fmt.Errorf("graph: %d rows are more than their numbers allow", b.from.Info.Connected)
	}
	b.rowBits = bits.Len(uint(b.to.FirstRows[len(counts)]))
	b.to.FirstRow = uint32(b.to.FirstRows[b.of.Number])
	return b.to.held.Take(b.to.byRow(rows))
}

// shareRows tells the other shares the codes and labels of the own rows.
func (b *hubBuilder) shareRows() error {
	if !b.of.isPart() {
		return nil
	}
	g := b.to
	if err := b.gather(b.code); err != nil {
		return err
	}
	labels := b.own[:len(g.ChunkOf)<<6] // its codes are in code
	if err := b.team.For(b.ctx, len(g.ChunkOf), 1<<10, func(_, lo, hi int) {
		for r := lo << 6; r < hi<<6; r++ {
			labels[r] = g.LabelOf(uint32(r))
		}
	}); err != nil {
		return err
	}
	if err := g.held.Take(g.rowLabels(uint64(g.FirstRows[b.of.Shares]))); err != nil {
		return err
	}
	return b.of.Gather(labels, g.RowLabels)
}

// listHubs fills HubLists: for each hub those of its neighbours that are own vertices. Without other
// shares they are in Lists.
func (b *hubBuilder) listHubs() error {
	g := b.to
	if !b.of.isPart() {
		g.HubLists = g.Lists
		for h := range g.Hubs {
			g.Hubs[h].List = g.Hubs[h].All
		}
		return nil
	}
	l := &hubLister{hubBuilder: b, next: make([][hubClasses][]uint64, b.team.Size())}
	for h := range g.Hubs {
		if uint64(g.Hubs[h].Label)-b.of.First < b.of.Owned {
			l.own = append(l.own, uint16(h))
		}
	}
	b.team.Run(func(worker int) {
		for class := range l.next[worker] {
			l.next[worker][class] = make([]uint64, len(g.Hubs))
		}
		l.eachVertex(worker, func(class hubClass, hubs []uint16, _ uint32) {
			next := l.next[worker][class]
			for _, h := range hubs {
				next[h]++
			}
		})
	})
	if err := g.held.Take(g.hubLists(l.place())); err != nil {
		return err
	}
	b.team.Run(func(worker int) { l.fill(worker) })
	return nil
}

// hubClass is what a neighbour of a hub is.
type hubClass int

const (
	isHub hubClass = iota
	isRow
	isLeaf
	hubClasses
)

// A hubLister fills the lists of hubs from the lists of own vertices. Each worker reads those of a
// part of the vertices, in order, first to count, then to fill.
type hubLister struct {
	*hubBuilder
	own  []uint16               // own hubs
	next [][hubClasses][]uint64 // by worker, class and hub: its neighbours; then the place of the next one, of hubs in 16-bit entries
}

// place sets the places of all lists and returns their length.
func (l *hubLister) place() (words uint64) {
	for h := range l.to.Hubs {
		hub := &l.to.Hubs[h]
		hub.List = words
		for class, count := range []*uint32{&hub.Hubs, &hub.Rows, &hub.Leaves} {
			at := words
			if class == int(isHub) {
				at *= 2
			}
			first := at
			for worker := range l.next {
				n := &l.next[worker][class][h]
				*n, at = at, at+*n
			}
			*count = uint32(at - first)
			if class == int(isHub) {
				at = (at + 1) / 2
			}
			words = at
		}
	}
	return words
}

// fill writes the neighbours of a worker.
func (l *hubLister) fill(worker int) {
	lists, next := l.to.HubLists, &l.next[worker]
	ofHubs := halves(lists, 2*len(lists))
	l.eachVertex(worker, func(class hubClass, hubs []uint16, id uint32) {
		next := next[class]
		for _, h := range hubs {
			at := next[h]
			next[h] = at + 1
			if class == isHub {
				ofHubs[at] = uint16(id)
			} else {
				lists[at] = id
			}
		}
	})
}

// eachVertex calls visit with the own vertices of a worker, what each of them is, and the hubs among
// its neighbours: a hub with its number, by number, then a row with its number, by chunk, or a leaf
// with its label. The hubs can come in several calls.
func (l *hubLister) eachVertex(worker int, visit func(class hubClass, hubs []uint16, id uint32)) {
	g, workers := l.to, len(l.next)
	lo, hi := parallel.Split(len(l.own), workers, worker)
	for _, h := range l.own[lo:hi] {
		visit(isHub, g.AllHubsOf(&g.Hubs[h]), uint32(h))
	}
	lo, hi = parallel.Split(l.chunks(), workers, worker)
	for _, c := range g.Chunks[lo:hi] {
		for row := c.Row; row < c.Single; row++ { // those behind have no hub
			first, further := g.HubsOfRow(row)
			n := 1
			for n < len(first) && first[n] != NoHub {
				n++
			}
			visit(isRow, first[:n], g.FirstRow+row)
			visit(isRow, further, g.FirstRow+row)
		}
	}
	lo, hi = parallel.Split(len(g.First), workers, worker)
	var one [1]uint16
	for v, code := range l.code[l.of.First:][lo:hi] {
		if code == leafCode && l.hubs.byLabel[g.First[lo+v]] != 0 {
			one[0] = NoHub - l.hubs.byLabel[g.First[lo+v]]
			visit(isLeaf, one[:], g.FirstLabel+uint32(lo+v))
		}
	}
}
