//go:build cuda

package techniques

import (
	"math"

	"graph500/device"
	"graph500/engine"
)

func init() {
	implementations["near-far"] = implementation{
		modules:   []string{"near_far"},
		newSearch: func() search { return &nearFarSearch{} },
	}
}

// nearFarSearch relaxes the vertices below the split, until there are none.
type nearFarSearch struct {
	paths
	relaxNear, place, compact pathKernel

	far   pile
	split uint32 // bits of the splitting distance
}

func (s *nearFarSearch) arrays(z sizes) []device.Declared {
	return append(s.paths.arrays(z), s.far.declare(z)...)
}

func (s *nearFarSearch) prepare(h *host) error {
	if err := s.paths.prepare(h); err != nil {
		return err
	}
	if err := s.pathKernel(&s.relaxNear, "near_far_relax"); err != nil {
		return err
	}
	if err := s.pathKernel(&s.place, "near_far_resolve"); err != nil {
		return err
	}
	return s.pathKernel(&s.compact, "near_far_collect")
}

// resolution returns the kernel that resolves a log.
func (s *nearFarSearch) resolution() pathKernel {
	return s.place.with(append([]uint64{uint64(s.split)}, s.far.arguments()...)...)
}

func (s *nearFarSearch) begin(root engine.Label) error {
	s.split = boundAbove(0, s.delta)
	s.far.count = 0
	_, err := s.paths.begin(root, s.resolution())
	return err
}

func (s *nearFarSearch) step() (more bool, err error) {
	if s.length == 0 {
		err = s.raise()
	} else {
		var tally pathTally
		tally, err = s.round("near", &s.queues[s.turn], s.length, s.relaxNear, s.resolution())
		s.far.count += uint64(tally.Later)
	}
	return s.finish(s.length > 0 || s.far.count > 0, err)
}

// raise raises the split until a vertex is near or the far pile is empty: by delta, or else
// beyond the least distance in the pile.
func (s *nearFarSearch) raise() error {
	split := math.Float32frombits(s.split)
	for s.split = boundAbove(split, split+s.delta); s.length == 0 && s.far.count > 0; {
		count := s.far.count
		tally, err := s.collect(&s.far, s.compact, s.split)
		if err != nil {
			return err
		}
		s.AddLevel(engine.Level{Step: "far", Frontier: int64(count)})
		if s.far.count > 0 && s.length == 0 {
			s.split = boundAbove(tally.least(), tally.least()+s.delta)
		}
	}
	return nil
}
