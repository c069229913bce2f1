//go:build cuda

package bfs

import (
	"encoding/binary"

	"graph500/engine"
)

// readLevels is the number of levels whose reads of tails a counted search counts one by
// one; the last entry is shared by all later ones.
const readLevels = engine.MaxLevels + 1

// countsTails reports whether the search counts what it reads of tails.
func (s *Search) countsTails() bool { return s.counted && s.members[0].graph.IsSplit() }

// resetCounts sets the counters of a counted search to zero.
func (s *Search) resetCounts() error {
	if !s.counted {
		return nil
	}
	module := s.members[0].module
	if err := module.ResetCounts(); err != nil || !s.countsTails() {
		return err
	}
	return module.Zero("tailReads", readLevels*binary.Size(tailReads{}))
}

// addTailReads adds to the profile what a counted search read of tails.
func (s *Search) addTailReads() error {
	if !s.countsTails() {
		return nil
	}
	var reads [readLevels]tailReads
	image := make([]byte, binary.Size(reads))
	if err := s.members[0].module.Read("tailReads", image); err != nil {
		return err
	}
	if _, err := binary.Decode(image, binary.NativeEndian, &reads); err != nil {
		return err
	}
	for i, r := range reads {
		s.profile.AddHostReads(i, 32*int64(r.Sectors), int64(r.Lines))
	}
	return nil
}

// Counts returns the counts of the last search, which must be a counted one. The number of
// examined neighbours and what was read of tails come from the profile.
func (s *Search) Counts() (engine.Counts, error) {
	c, err := s.members[0].module.Counts()
	if err != nil {
		return c, err
	}
	profile, err := s.Profile()
	c.Examined += profile.Examined
	c.Launches = 1
	c.AddHost(profile)
	return c, err
}
