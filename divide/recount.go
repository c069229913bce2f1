package divide

import (
	"fmt"
	"slices"

	"graph500/engine"
	"graph500/partition"
)

// Stored is a part as files hold it.
type Stored struct {
	Labels    []engine.Label // by local number
	Offsets   []uint64
	Neighbors []uint32 // local numbers
}

// Recount checks the parts of a graph with so many vertices and returns their figures. It uses
// nothing of the phases: it counts what is there, arc by arc. masters has the part of each
// vertex. A rule without a state must give each arc to the part that has it. The error names
// the part.
func Recount(vertices uint64, masters []uint8, parts []Stored, props partition.Props, policy partition.Policy) (f Figures, err error) {
	if uint64(len(masters)) != vertices {
		return f, fmt.Errorf("there are masters of %d vertices of %d", len(masters), vertices)
	}
	degrees, err := degreesOf(vertices, parts)
	if err != nil {
		return f, err
	}
	r := &recount{masters: masters, degrees: degrees, rows: make([]partition.Row, vertices), props: props, ordered: policy.Owner.Ordered}
	if err := r.countRows(); err != nil {
		return r.Figures, err
	}
	r.owner = policy.Owner.Owner(&r.props)
	mastersSeen := uint64(0)
	for number, p := range parts {
		own, err := r.countProxies(number, p)
		if err != nil {
			return r.Figures, err
		}
		mastersSeen += own
		for i := range p.Labels {
			if err := r.countRow(number, p, i); err != nil {
				return r.Figures, err
			}
		}
	}
	if mastersSeen != r.Rows {
		return r.Figures, fmt.Errorf("the parts have %d masters of %d vertices with an arc", mastersSeen, r.Rows)
	}
	return r.Figures, nil
}

// recount is the state of Recount.
type recount struct {
	Figures
	masters []uint8
	degrees []uint64        // by vertex
	rows    []partition.Row // by vertex
	props   partition.Props
	owner   func(from, to partition.End) int
	ordered bool // the rule has a state
}

// countRows counts the vertices with an arc and checks the parts of the others.
func (r *recount) countRows() error {
	vertices := uint64(len(r.masters))
	var byRow []uint8
	for v, d := range r.degrees {
		if d == 0 {
			if want := partition.Block(uint64(v), vertices, r.props.Parts); int(r.masters[v]) != want {
				return fmt.Errorf("vertex %d has no arc, and part %d instead of %d", v, r.masters[v], want)
			}
			continue
		}
		r.rows[v] = partition.Row{Number: r.Rows, FirstArc: r.AllArcs, Degree: d}
		byRow = append(byRow, r.masters[v])
		r.Rows++
		r.AllArcs += d
	}
	r.MastersCheck = Check(byRow)
	r.props.Rows, r.props.Arcs = r.Rows, r.AllArcs
	return nil
}

// countProxies checks and counts the labels of a part. It returns the number of its masters, which
// come first.
func (r *recount) countProxies(number int, p Stored) (masters uint64, err error) {
	own := 0
	for own < len(p.Labels) && int(r.masters[p.Labels[own]]) == number {
		own++
	}
	if err := checkProxies(number, own, p, r.masters); err != nil {
		return 0, err
	}
	r.Masters, r.Proxies, r.Arcs = append(r.Masters, uint64(own)), append(r.Proxies, uint64(len(p.Labels))), append(r.Arcs, uint64(len(p.Neighbors)))
	partners := make([]bool, r.props.Parts)
	for _, v := range p.Labels[own:] {
		partners[r.masters[v]] = true
	}
	for _, is := range partners {
		if is {
			r.Pairs++
		}
	}
	return uint64(own), nil
}

// countRow checks and counts the arcs of a local vertex of a part.
func (r *recount) countRow(number int, p Stored, i int) error {
	v, row := p.Labels[i], p.Neighbors[p.Offsets[i]:p.Offsets[i+1]]
	if len(row) > 0 && r.props.Reader(r.rows[v]) != number {
		r.Groups++
		r.Moved += uint64(len(row))
	}
	for k, u := range row {
		to := p.Labels[u]
		if k > 0 && p.Labels[row[k-1]] >= to {
			return fmt.Errorf("part %d: the arcs of vertex %d are not in order, or one is there twice", number, v)
		}
		if r.masters[v] != r.masters[to] {
			r.Cut++
		}
		if r.ordered {
			continue
		}
		if of := r.owner(r.end(v), r.end(to)); of != number {
			return fmt.Errorf("part %d: the arc from vertex %d to %d belongs to part %d", number, v, to, of)
		}
	}
	return nil
}

// end describes a vertex to the rule of the arcs.
func (r *recount) end(v engine.Label) partition.End {
	return partition.End{Row: r.rows[v].Number, Degree: r.degrees[v], Master: int(r.masters[v])}
}

// degreesOf returns the number of arcs of each vertex in all parts. As many must end there.
func degreesOf(vertices uint64, parts []Stored) ([]uint64, error) {
	degrees, incoming := make([]uint64, vertices), make([]uint64, vertices)
	for number, p := range parts {
		if len(p.Labels) != len(p.Offsets)-1 {
			return nil, fmt.Errorf("part %d: %d labels of %d rows", number, len(p.Labels), len(p.Offsets)-1)
		}
		for i, v := range p.Labels {
			degrees[v] += p.Offsets[i+1] - p.Offsets[i]
			for _, u := range p.Neighbors[p.Offsets[i]:p.Offsets[i+1]] {
				incoming[p.Labels[u]]++
			}
		}
	}
	for v, d := range degrees {
		if d != incoming[v] {
			return nil, fmt.Errorf("%d arcs begin at vertex %d, and %d end there", d, v, incoming[v])
		}
	}
	return degrees, nil
}

// checkProxies returns an error if the proxies of a part are not its masters, and then mirrors
// by part, each with an arc.
func checkProxies(number, own int, p Stored, masters []uint8) error {
	used := make([]bool, len(p.Labels))
	for i := range p.Labels {
		used[i] = p.Offsets[i] < p.Offsets[i+1] || i < own
	}
	for _, u := range p.Neighbors {
		used[u] = true
	}
	if i := slices.Index(used, false); i >= 0 {
		return fmt.Errorf("part %d: the mirror of vertex %d has no arc", number, p.Labels[i])
	}
	for i, v := range p.Labels {
		if i >= own && int(masters[v]) == number {
			return fmt.Errorf("part %d: the master of vertex %d is among the mirrors", number, v)
		}
		if i > 0 && i != own && (masters[p.Labels[i-1]] > masters[v] || masters[p.Labels[i-1]] == masters[v] && p.Labels[i-1] >= v) {
			return fmt.Errorf("part %d: vertex %d is not in the order of parts and labels, or is there twice", number, v)
		}
	}
	return nil
}
