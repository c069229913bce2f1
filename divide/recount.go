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
	rows := make([]partition.Row, vertices)
	var byRow []uint8
	for v, d := range degrees {
		if d == 0 {
			if want := partition.Block(uint64(v), vertices, props.Parts); int(masters[v]) != want {
				return f, fmt.Errorf("vertex %d has no arc, and part %d instead of %d", v, masters[v], want)
			}
			continue
		}
		rows[v] = partition.Row{Number: f.Rows, FirstArc: f.AllArcs, Degree: d}
		byRow = append(byRow, masters[v])
		f.Rows++
		f.AllArcs += d
	}
	f.MastersCheck = Check(byRow)
	props.Rows, props.Arcs = f.Rows, f.AllArcs
	owner := policy.Owner.Owner(&props)
	end := func(v engine.Label) partition.End {
		return partition.End{Row: rows[v].Number, Degree: degrees[v], Master: int(masters[v])}
	}
	mastersSeen := uint64(0)
	for number, p := range parts {
		own := 0
		for own < len(p.Labels) && int(masters[p.Labels[own]]) == number {
			own++
		}
		if err := checkProxies(number, own, p, masters); err != nil {
			return f, err
		}
		mastersSeen += uint64(own)
		f.Masters, f.Proxies, f.Arcs = append(f.Masters, uint64(own)), append(f.Proxies, uint64(len(p.Labels))), append(f.Arcs, uint64(len(p.Neighbors)))
		partners := make([]bool, props.Parts)
		for _, v := range p.Labels[own:] {
			partners[masters[v]] = true
		}
		for _, is := range partners {
			if is {
				f.Pairs++
			}
		}
		for i, v := range p.Labels {
			row := p.Neighbors[p.Offsets[i]:p.Offsets[i+1]]
			moved := len(row) > 0 && props.Reader(rows[v]) != number
			if moved {
				f.Groups++
				f.Moved += uint64(len(row))
			}
			for k, u := range row {
				to := p.Labels[u]
				if k > 0 && p.Labels[row[k-1]] >= to {
					return f, fmt.Errorf("part %d: the arcs of vertex %d are not in order, or one is there twice", number, v)
				}
				if masters[v] != masters[to] {
					f.Cut++
				}
				if !policy.Owner.Ordered && owner(end(v), end(to)) != number {
					return f, fmt.Errorf("part %d: the arc from vertex %d to %d belongs to part %d", number, v, to, owner(end(v), end(to)))
				}
			}
		}
	}
	if mastersSeen != f.Rows {
		return f, fmt.Errorf("the parts have %d masters of %d vertices with an arc", mastersSeen, f.Rows)
	}
	return f, nil
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
