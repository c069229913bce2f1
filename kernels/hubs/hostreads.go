//go:build cuda

package hubs

import (
	"encoding/binary"

	"graph500/engine"
)

// readRecords is the number of records of levels whose reads of host memory a counted search
// counts one by one; the last entry is shared by all later ones.
const readRecords = engine.MaxLevels + 1

// resetCounts sets the counters of a counted search to zero.
func (s *Search) resetCounts() error {
	if !s.counted {
		return nil
	}
	module := s.members[0].module
	if err := module.ResetCounts(); err != nil {
		return err
	}
	return module.Zero("hostReads", readRecords*binary.Size(hostReads{}))
}

// addHostReads adds to the profile what a counted search read of host memory.
func (s *Search) addHostReads() error {
	if !s.counted {
		return nil
	}
	var reads [readRecords]hostReads
	image := make([]byte, binary.Size(reads))
	if err := s.members[0].module.Read("hostReads", image); err != nil {
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

// Counts returns the counts of the last search, which must be a counted one. Examined neighbours
// and what was read of host memory come from the profile.
func (s *Search) Counts() (engine.Counts, error) {
	c, err := s.members[0].module.Counts()
	if err != nil {
		return c, err
	}
	profile, err := s.Profile()
	c.Examined = profile.Examined
	c.Launches = 1
	c.AddHost(profile)
	return c, err
}
