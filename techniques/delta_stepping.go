//go:build cuda

package techniques

import (
	"math"

	"graph500/device"
	"graph500/engine"
)

func init() {
	implementations["delta-stepping"] = implementation{
		modules:   []string{"delta_stepping"},
		newSearch: func() search { return &deltaSteppingSearch{} },
	}
}

// deltaSteppingSearch settles one bucket after the other. The queue of paths has the
// vertices of the bucket whose light arcs must be relaxed.
type deltaSteppingSearch struct {
	paths
	relaxLight, relaxHeavy, place, fetch pathKernel

	light     device.Array[uint32] // number of light arcs, by row
	settled   [2]arcQueue          // vertices of the bucket whose heavy arcs must be relaxed, and the next such queue
	settling  int                  // index of the settled queue
	unrelaxed queueLength          // its length
	later     pile                 // vertices beyond the bucket
	bucket    float64              // number of the bucket
	bound     uint32               // bits of its upper end
}

func (s *deltaSteppingSearch) arrays(z sizes) []device.Declared {
	list := append(s.paths.arrays(z), s.later.declare(z)...)
	list = append(list, device.Of(&s.light, "numbers of light arcs", z.rows))
	list = append(list, s.settled[0].declare("queue of settled vertices", z.rows)...)
	return append(list, s.settled[1].declare("next queue of settled vertices", z.rows)...)
}

func (s *deltaSteppingSearch) prepare(h *host) error {
	if err := s.paths.prepare(h); err != nil {
		return err
	}
	for _, k := range []struct {
		to   *pathKernel
		name string
	}{{&s.relaxLight, "light"}, {&s.relaxHeavy, "heavy"}, {&s.place, "resolve"}, {&s.fetch, "collect"}} {
		if err := s.pathKernel(k.to, "delta_stepping_"+k.name); err != nil {
			return err
		}
	}
	var split *device.Kernel
	if err := s.kernel(&split, "delta_stepping_split"); err != nil {
		return err
	}
	return s.Launch(split, s.rows, s.graph.ByWeight.Rows.Address(), s.rows, s.graph.ByWeight.Arcs.Address(),
		uint64(math.Float32bits(s.delta)), s.light.Address())
}

// resolution returns the kernel that resolves a log and appends to the given queue of
// settled vertices, which has that length.
func (s *deltaSteppingSearch) resolution(to *arcQueue, length queueLength) pathKernel {
	extra := append([]uint64{uint64(s.bound)}, s.later.arguments()...)
	extra = append(append(extra, s.light.Address()), to.arguments()...)
	return s.place.with(append(extra, uint64(length))...)
}

// limit sets the upper end of the bucket to the end of the bucket with the current number,
// or to the next number above least if the end is not above it. Whether a distance is in
// the bucket is decided by comparing it with this number only: the quotient of distance and
// delta can be rounded to the number of another bucket.
func (s *deltaSteppingSearch) limit(least float32) {
	s.bound = boundAbove(least, float32((s.bucket+1)*float64(s.delta)))
}

func (s *deltaSteppingSearch) begin(root engine.Label) error {
	s.bucket, s.later.count = 0, 0
	s.limit(0)
	tally, err := s.paths.begin(root, s.resolution(&s.settled[s.settling], 0))
	s.unrelaxed = tally.Settled
	return err
}

func (s *deltaSteppingSearch) step() (more bool, err error) {
	switch {
	case s.length > 0:
		err = s.stepLight()
	case s.unrelaxed > 0:
		err = s.stepHeavy()
	default:
		err = s.advanceBucket()
	}
	return s.finish(s.length > 0 || s.unrelaxed > 0 || s.later.count > 0, err)
}

// stepLight relaxes the light arcs of the queue.
func (s *deltaSteppingSearch) stepLight() error {
	tally, err := s.round("light", &s.queues[s.turn], s.length, s.relaxLight, s.resolution(&s.settled[s.settling], s.unrelaxed))
	s.unrelaxed += tally.Settled
	s.later.count += uint64(tally.Later)
	return err
}

// stepHeavy relaxes the heavy arcs of the settled vertices. Where the bound was rounded, or
// a weight is absorbed by the distance, a heavy arc can lead into the bucket, which then
// goes on.
func (s *deltaSteppingSearch) stepHeavy() error {
	queue := &s.settled[s.settling]
	s.settling = 1 - s.settling
	tally, err := s.round("heavy", queue, s.unrelaxed, s.relaxHeavy.with(s.light.Address()), s.resolution(&s.settled[s.settling], 0))
	s.unrelaxed = tally.Settled
	s.later.count += uint64(tally.Later)
	return err
}

// advanceBucket collects the next bucket, or else that of the least distance in the pile.
// Its time is part of the round that follows.
func (s *deltaSteppingSearch) advanceBucket() error {
	s.bucket++
	s.limit(0)
	for s.length == 0 && s.unrelaxed == 0 && s.later.count > 0 {
		queue := &s.settled[s.settling]
		tally, err := s.collect(&s.later, s.fetch.with(append([]uint64{s.light.Address()}, queue.arguments()...)...), s.bound)
		if err != nil {
			return err
		}
		s.unrelaxed = tally.Settled
		if s.later.count > 0 && s.length == 0 && s.unrelaxed == 0 {
			s.bucket = math.Floor(float64(tally.least()) / float64(s.delta))
			s.limit(tally.least())
		}
	}
	return nil
}
