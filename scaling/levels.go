package scaling

import (
	"cmp"
	"slices"

	"graph500/engine"
)

// Profile holds the mean levels of the searches of a graph.
type Profile struct {
	Scale  int
	Levels []Level // in order
}

// Level is the mean over all searches of the levels at one place and in one direction.
// Numbers are per label, of which the graph has 2^scale; a search without this level
// counts as 0.
type Level struct {
	Place     int // after the first bottom-up level, which is 0
	Direction engine.Direction
	Share     float64 // of the searches that have the level
	Frontier  float64 // vertices
	Found     float64 // vertices
	Arcs      float64 // examined
}

// NewProfile returns the profile of searches, each with its levels, of a graph of the
// scale. In a search without bottom-up level, all levels come before place 0.
func NewProfile(scale int, searches [][]engine.Level) Profile {
	type key struct {
		place     int
		direction engine.Direction
	}
	sums := map[key]Level{}
	for _, levels := range searches {
		first := slices.IndexFunc(levels, func(l engine.Level) bool { return l.Direction == engine.BottomUp })
		if first < 0 {
			first = len(levels)
		}
		for i, l := range levels {
			k := key{i - first, l.Direction}
			s := sums[k]
			s.Share++
			s.Frontier += float64(l.Frontier)
			s.Found += float64(l.Found)
			s.Arcs += float64(l.Examined)
			sums[k] = s
		}
	}
	p := Profile{Scale: scale}
	count, labels := float64(len(searches)), float64(len(searches))*Labels(scale)
	for k, s := range sums {
		p.Levels = append(p.Levels, Level{k.place, k.direction, s.Share / count, s.Frontier / labels, s.Found / labels, s.Arcs / labels})
	}
	slices.SortFunc(p.Levels, func(a, b Level) int {
		return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.Direction, b.Direction))
	})
	return p
}

// Count returns the mean number of levels.
func (p Profile) Count() (levels float64) {
	for _, l := range p.Levels {
		levels += l.Share
	}
	return levels
}

// total returns the sum of a number over the levels of a direction.
func (p Profile) total(d engine.Direction, number func(Level) float64) (sum float64) {
	for _, l := range p.Levels {
		if l.Direction == d {
			sum += number(l)
		}
	}
	return sum
}

// levelsAt returns the mean number of levels at a scale. It grows with the scale as it
// did between the smallest and the largest counted graph.
func (p Profile) levelsAt(scale int) float64 {
	first, last := Counted()[0], Counted()[len(Counted())-1]
	growth := (last.Count() - first.Count()) / float64(last.Scale-first.Scale)
	return p.Count() + growth*float64(scale-p.Scale)
}

// Labels returns the number of labels of a graph.
func Labels(scale int) float64 { return float64(uint64(1) << scale) }
