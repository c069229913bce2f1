//go:build cuda

package hubs

import "graph500/engine"

// resetCounts sets the counters of a counted search to zero.
func (s *Search) resetCounts() error {
	if !s.counted {
		return nil
	}
	return s.members[0].module.ResetCounts(true)
}

// addHostReads adds to the profile what a counted search read of host memory.
func (s *Search) addHostReads() error {
	if !s.counted {
		return nil
	}
	return s.members[0].module.AddHostReads(&s.profile)
}

// Counts returns the counts of the last search, which must be a counted one.
func (s *Search) Counts() (engine.Counts, error) { return s.members[0].module.CountsOf(s.Profile, 1) }
