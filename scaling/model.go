package scaling

import (
	"math"

	"graph500/engine"
)

// Layout says which part of the graph a node has.
type Layout int

const (
	// Ranges: a node has the rows of a range of labels, and the bitmap of all labels. So
	// does the program on the GPUs of a host, and over ranks on cores.
	Ranges Layout = iota
	// Grid: the nodes are a grid of rows and columns; a node has the arcs from a block of
	// labels to another, and the bitmaps of both. No engine of the program has it.
	Grid
)

func (l Layout) String() string { return [...]string{"ranges", "grid"}[l] }

// Run is a search of a graph on nodes.
type Run struct {
	Machine Machine
	Profile Profile
	Scale   int
	Nodes   int // a power of two
	Layout  Layout
}

// Time is what a search takes, in seconds, by part.
type Time struct {
	Levels  float64 // launch, and latencies inside the nodes
	Work    float64 // passes over labels and arcs
	Peer    float64 // exchange inside the nodes
	Network float64 // exchange between the nodes, latencies included
}

// Total returns the sum of the parts: nothing overlaps.
func (t Time) Total() float64 { return t.Levels + t.Work + t.Peer + t.Network }

// gpus returns the number of GPUs of all nodes.
func (r Run) gpus() float64 { return float64(r.Nodes * r.Machine.GPUs) }

// entry returns the bytes of a label.
func (r Run) entry() float64 {
	if r.Scale <= 32 {
		return 4
	}
	return 8
}

// grid returns the numbers of rows and columns of nodes: powers of two, as equal as
// possible, with at least as many columns. Ranges are one row of all nodes.
func (r Run) grid() (rows, columns float64) {
	if r.Layout == Ranges {
		return 1, float64(r.Nodes)
	}
	exponent := int(math.Log2(float64(r.Nodes)))
	rows = float64(int(1) << (exponent / 2))
	return rows, float64(r.Nodes) / rows
}

// bitmap returns the bytes of the bitmap of the frontier that a GPU looks into.
func (r Run) bitmap() float64 {
	if r.Layout == Ranges {
		return Labels(r.Scale) / 8
	}
	_, columns := r.grid()
	return Labels(r.Scale) / 8 / columns
}

// imbalance returns the largest share of the arcs of a GPU, relative to the mean.
func (r Run) imbalance() float64 { return Imbalance(r.Scale, r.Nodes*r.Machine.GPUs, 1) }

// Bytes returns the memory that the GPU with the most arcs needs: neighbours, parents and
// three bitmaps.
func (r Run) Bytes() float64 {
	labels := Labels(r.Scale)
	bitmaps := labels / 8
	if r.Layout == Grid {
		rows, columns := r.grid()
		bitmaps *= 1/rows + 1/columns
	}
	return r.entry()*(32*r.imbalance()+1)*labels/r.gpus() + 3*bitmaps
}

// Fits returns whether the graph fits into the memory of the GPUs.
func (r Run) Fits() bool { return r.Bytes() <= r.Machine.GraphShare*r.Machine.Memory }

// Time returns the mean time of a search, the harmonic mean of the rates being that of
// this time.
func (r Run) Time() (t Time) {
	m := r.Machine
	t.Levels = m.Launch + r.Profile.levelsAt(r.Scale)*m.Level
	share := Labels(r.Scale) / r.gpus()
	t.Work = share * (m.Label + m.LookUps*m.lookUp(r.bitmap()))
	imbalance := r.imbalance()
	for _, l := range r.Profile.Levels {
		if l.Direction == engine.TopDown {
			t.Work += share * l.Arcs * imbalance * m.Arc
		}
		if r.Nodes > 1 || m.GPUs > 1 {
			peer, network := r.exchange(l)
			t.Peer += peer
			t.Network += network
		}
	}
	if r.gpus() > 1 {
		t.Levels += r.Profile.levelsAt(r.Scale) * m.PeerLevel
	}
	return t
}

// exchange returns the times of the exchange after a level, inside the nodes and between
// them. Every GPU needs the found vertices of all labels (of the blocks of its node, in a
// grid), as a bitmap or a list, whichever is smaller. What was found without its parent
// at hand is sent to its owner.
func (r Run) exchange(l Level) (peer, network float64) {
	m, labels := r.Machine, Labels(r.Scale)
	nodes, gpus := float64(r.Nodes), float64(m.GPUs)
	rows, columns := r.grid()
	found := min(labels/8, r.entry()*l.Found*labels)
	// Received by each node from others, and by each GPU.
	toNode, toGPU := found*(1-1/nodes), found
	if r.Layout == Grid {
		toNode = found * ((1-1/rows)/columns + (1-1/columns)/rows)
		toGPU = found * (1/rows + 1/columns)
	}
	// Parents that a GPU receives: in ranges, top-down, pairs of vertex and parent; in a
	// grid also bottom-up, in the order of the bitmap.
	parents := 0.0
	switch {
	case l.Direction == engine.TopDown:
		parents = 2 * r.entry() * l.Found * labels / r.gpus()
	case r.Layout == Grid:
		parents = r.entry() * l.Found * labels / r.gpus()
	}
	peer = (toGPU + parents/nodes) * (1 - 1/gpus) / m.Peer
	network = toNode/gpus/m.Network + parents*(1-1/columns)/m.Network
	return peer, network + l.Share*r.latency(l.Direction)
}

// latency returns the latencies of the exchange between nodes after a level.
func (r Run) latency(d engine.Direction) float64 {
	if r.Nodes == 1 {
		return 0
	}
	m := r.Machine
	rows, columns := r.grid()
	gathered := float64(r.Nodes)
	if r.Layout == Grid {
		gathered = rows
	}
	t := m.Start + math.Ceil(math.Log2(gathered))*m.Latency
	switch {
	case d == engine.TopDown: // pairs to the nodes of the row
		t += m.Start + m.Latency + (columns-1)*m.Message
	case r.Layout == Grid: // the columns of a row search one after the other
		t += columns * (m.Start + m.Latency)
	}
	return t
}

// Edges returns the edges that a search is counted for: 16 for each label. In official
// graphs that is right to 0.01 %.
func Edges(scale int) float64 { return 16 * Labels(scale) }

// GTEPS returns the rate of the search in 10^9 edges per second.
func (r Run) GTEPS() float64 { return Edges(r.Scale) / r.Time().Total() / 1e9 }

// Efficiency returns the rate of a GPU relative to the highest measured rate of one GPU.
func (r Run) Efficiency() float64 {
	best := 0.0
	for _, m := range Measured() {
		if m.GPUs == 1 {
			best = max(best, m.GTEPS)
		}
	}
	return r.GTEPS() / r.gpus() / best
}

// Best returns the run in the layout with the higher rate of those that fit. It returns
// false if none fits. A grid needs four nodes.
func (r Run) Best() (best Run, fits bool) {
	for _, layout := range []Layout{Ranges, Grid} {
		r.Layout = layout
		if layout == Grid && r.Nodes < 4 || !r.Fits() {
			continue
		}
		if !fits || r.GTEPS() > best.GTEPS() {
			best, fits = r, true
		}
	}
	return best, fits
}
