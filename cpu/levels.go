package cpu

import "graph500/engine"

// mostNoted is the number of levels of a search that are noted: the levels of a
// long path are in no memory plan.
const mostNoted = 1 << 16

// noted holds the first levels of a search, and how many there were.
type noted struct {
	levels []engine.Level
	count  int
}

func (n *noted) reset() { n.levels, n.count = n.levels[:0], 0 }

func (n *noted) add(l engine.Level) {
	if n.count < mostNoted {
		n.levels = append(n.levels, l)
	}
	n.count++
}

func (n *noted) profile() engine.Profile {
	return engine.Profile{Levels: n.levels, LevelCount: n.count}
}
