//go:build cuda

package bfs

import (
	"time"

	"graph500/engine"
)

// The ways in which search.cu goes through a level: Step in search.cuh.
const (
	stepTopDown = iota
	stepDense
	stepHubs
	stepEmit
	stepList
	stepTail
)

// stepNames are what reports call them.
var stepNames = [...]string{"queue", "dense", "dense-hubs", "dense-parents", "list", "registers"}

// What a level does in addition to its step: Extra in search.cuh.
const (
	extraBegin = 1 << iota
	extraScatter
	extraOrder
	extraOrdered
	extraFilter
	extraQueue
	extraPending
	extraFresh
	extraMeasure = 1 << 16
)

// Profile returns the levels of the last search, valid until the next, and the
// time from its beginning to the end of its last level, by the device's clock.
func (s *Search) Profile() (engine.Profile, error) {
	p := &s.profile
	if s.known {
		return *p, nil
	}
	c, records, err := s.records()
	if err != nil {
		return engine.Profile{}, err
	}
	p.Reset()
	before, traffic := c.Begin, s.traffic()
	for _, r := range records[:min(c.LevelCount, engine.MaxLevels)] {
		level := engine.Level{
			Direction: engine.TopDown,
			Step:      stepNames[r.Step],
			Frontier:  int64(r.Frontier),
			Found:     int64(r.Found),
			Examined:  int64(r.Implied + r.Looked),
			Bytes:     int64(traffic.of(r)),
			Seconds:   time.Duration(r.End - before).Seconds(),
		}
		if r.Step != stepTopDown {
			level.Direction = engine.BottomUp
		}
		p.Add(level)
		before = r.End
	}
	p.LevelCount = int64(c.LevelCount)
	if beyond := records[min(c.LevelCount, engine.MaxLevels):]; len(beyond) > 0 {
		p.Examined += int64(c.ImpliedBeyond + beyond[0].Looked)
	}
	p.DeviceSeconds = time.Duration(c.End - c.Begin).Seconds()
	s.known = true
	return *p, nil
}

// records reads what the kernel noted of the last search. Behind MaxLevels of them is
// one for all further levels, if there are any.
func (s *Search) records() (control, []levelRecord, error) {
	var c [1]control
	if err := s.state.Control.Read(0, c[:]); err != nil {
		return c[0], nil, err
	}
	records := make([]levelRecord, min(c[0].LevelCount, engine.MaxLevels+1))
	return c[0], records, s.state.Levels.Read(0, records)
}

// traffic counts the bytes that the levels of a search read and write, one level after
// the other, from what the kernel noted of each: the elements of the arrays of the graph
// and of the search, each as often as the level needs it, caches or not. Single bits
// looked up or set in a bitmap do not count, nor does the sample of a frontier.
type traffic struct {
	bitmap       uint64 // bytes of one, of padded labels
	tasks        uint64
	outsideHubs  uint64 // bytes of the lists of vertices whose first neighbour is no hub
	hubs, minors uint64
	listRoom     uint64

	listed uint64 // entries of the list that no level has read yet
}

// Bytes of what the search goes through.
const (
	wordBytes   = 4      // a label, or a word of a filter
	slotBytes   = 2      // a hub's number
	rowBytes    = 8 + 16 // a word of the index and a Row
	copyBytes   = 16     // a row of the frontier
	listedBytes = 8      // an entry of the list, or a vertex and its parent
)

func (s *Search) traffic() *traffic {
	st := &s.state
	return &traffic{
		bitmap:      uint64(st.Tasks) * taskLabels / 8,
		tasks:       uint64(st.Tasks),
		outsideHubs: st.Exceptions.Bytes() + st.Minors.Bytes(),
		hubs:        uint64(st.HubCount),
		minors:      uint64(st.MinorCount),
		listRoom:    uint64(st.ListRoom),
	}
}

func (t *traffic) of(r levelRecord) uint64 {
	frontier, found := uint64(r.Frontier), uint64(r.Found)
	bytes := t.ofExtras(r) + wordBytes*r.Moved
	switch r.Step {
	case stepTopDown:
		bytes += wordBytes*r.Implied + 2*wordBytes*found
		if r.Extra/extraMeasure > 0 {
			bytes += copyBytes * frontier
		} else {
			bytes += (wordBytes + rowBytes) * frontier
		}
	case stepDense, stepHubs:
		// Numbers of hubs, the index, and the bitmaps visited, more, after and byFirst,
		// which the first such pass does not read.
		bytes += slotBytes*8*t.bitmap + 2*t.bitmap + 5*t.bitmap + wordBytes*t.hubs
		if r.Extra&extraFresh != 0 {
			bytes -= t.bitmap
		}
		if r.Step == stepHubs {
			bytes += copyBytes*frontier + wordBytes*r.Followed
		} else {
			bytes += wordBytes*t.minors + t.outsideHubs
		}
	case stepEmit:
		t.listed = min(uint64(r.Listed), t.listRoom)
		// The index, and the bitmaps visited, present and after, and byFirst with parents
		// that were left.
		bytes += 2*t.bitmap + 3*t.bitmap + listedBytes*t.listed
		if r.Extra&extraPending != 0 {
			bytes += t.bitmap
		}
	case stepList:
		bytes += listedBytes*(t.listed+uint64(r.Listed)) + wordBytes*found
		t.listed = uint64(r.Listed)
	case stepTail:
		bytes += listedBytes*t.listed + wordBytes*(r.Looked+found)
		t.listed = 0
	}
	return bytes
}

// ofExtras counts what a level does in addition to its step.
func (t *traffic) ofExtras(r levelRecord) (bytes uint64) {
	frontier := uint64(r.Frontier)
	for _, e := range []struct {
		extra uint32
		bytes uint64
	}{
		{extraBegin, 2 * t.bitmap},
		{extraScatter, 3 * wordBytes * frontier},
		// The queue and its parents become entries of bins, and these parents in order.
		{extraOrder, (2*wordBytes+2*listedBytes+wordBytes)*frontier + t.bitmap + wordBytes*t.tasks},
		{extraOrdered, t.bitmap + wordBytes*t.tasks},
		{extraFilter, 2 * wordBytes * frontier},
		{extraQueue, 2*t.bitmap + wordBytes*frontier},
	} {
		if r.Extra&e.extra != 0 {
			bytes += e.bytes
		}
	}
	return bytes + uint64(r.Extra/extraMeasure)*(wordBytes+rowBytes+copyBytes)*frontier
}
