//go:build cuda

package bfs

import "graph500/engine"

// countsTails reports whether the search counts what it reads of tails.
func (s *Search) countsTails() bool { return s.counted && s.members[0].graph.IsSplit() }

// resetCounts sets the counters of a counted search to zero.
func (s *Search) resetCounts() error {
	if !s.counted {
		return nil
	}
	return s.members[0].module.ResetCounts(s.countsTails())
}

// addTailReads adds to the profile what a counted search read of tails.
func (s *Search) addTailReads() error {
	if !s.countsTails() {
		return nil
	}
	return s.members[0].module.AddHostReads(&s.profile)
}

// Counts returns the counts of the last search, which must be a counted one.
func (s *Search) Counts() (engine.Counts, error) { return s.members[0].module.CountsOf(s.Profile, 1) }
