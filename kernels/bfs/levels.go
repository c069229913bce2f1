//go:build cuda

package bfs

import (
	"errors"
	"time"

	"graph500/engine"
)

// stepNames are the names of the steps in reports.
var stepNames = [...]string{"queue", "dense", "dense-hubs", "dense-parents", "list", "registers"}

// Profile returns the levels of the last search, and the time from its begin to the end of its last
// level. Times are those of the first device of this process, by its clock, bytes and examined
// neighbours those of all devices. The result is valid until the next search.
func (s *Search) Profile() (engine.Profile, error) {
	p := &s.profile
	if s.profiled {
		return *p, nil
	}
	if err := s.members[0].levels(p); err != nil {
		return engine.Profile{}, err
	}
	for _, m := range s.members[1:] {
		own := &m.profile
		if err := m.levels(own); err != nil {
			return engine.Profile{}, err
		}
		p.Examined += own.Examined
		for l := range min(p.LevelCount, engine.MaxLevels) {
			p.Levels[l].Examined += own.Levels[l].Examined
			p.Levels[l].Bytes += own.Levels[l].Bytes
		}
	}
	if err := errors.Join(s.addRanks(), s.addTailReads()); err != nil {
		return engine.Profile{}, err
	}
	s.profiled = true
	return *p, nil
}

// addRanks adds the bytes and examined neighbours of the other ranks to the profile.
func (s *Search) addRanks() error {
	if s.team.Alone() {
		return nil
	}
	p := &s.profile
	sums := []int64{p.Examined}
	for _, l := range p.Levels {
		sums = append(sums, l.Examined, l.Bytes)
	}
	if err := s.team.Sum(sums); err != nil {
		return err
	}
	p.Examined = sums[0]
	for l := range p.Levels {
		p.Levels[l].Examined, p.Levels[l].Bytes = sums[1+2*l], sums[2+2*l]
	}
	return nil
}

// levels sets a profile to the levels of the last search on the device.
func (m *member) levels(p *engine.Profile) error {
	c, records, err := m.records()
	if err != nil {
		return err
	}
	p.Reset()
	before, traffic := c.Begin, m.traffic()
	for _, r := range records[:min(c.LevelCount, engine.MaxLevels)] {
		level := engine.Level{
			Direction: engine.TopDown,
			Step:      stepNames[r.Step],
			Frontier:  int64(r.Frontier),
			Found:     int64(r.Found),
			Examined:  int64(r.Implied + r.Examined),
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
		p.Examined += int64(c.ImpliedBeyond + beyond[0].Examined)
	}
	p.DeviceSeconds = time.Duration(c.End - c.Begin).Seconds()
	return nil
}

// records returns the control block and the records of the levels of the last search.
// If there were more than MaxLevels levels, the last record is shared by all later
// ones.
func (m *member) records() (control, []levelRecord, error) {
	var c [1]control
	if err := m.state.Control.Read(0, c[:]); err != nil {
		return c[0], nil, err
	}
	records := make([]levelRecord, min(c[0].LevelCount, engine.MaxLevels+1))
	return c[0], records, m.state.Levels.Read(0, records)
}

// traffic computes the bytes that each level of a search reads and writes, from the
// records. Its method of must be called for one level after the other. It counts the
// elements of the arrays of the graph and of the search, each as often as the level
// needs it, whether from a cache or not. It does not count single bits of a bitmap
// that are looked up or set, nor the sample of a frontier.
type traffic struct {
	bitmap       uint64 // bytes of a bitmap of P labels
	tasks        uint64
	nonHubLists  uint64 // bytes of Exceptions and Minors
	hubs, minors uint64
	listCapacity uint64

	listed uint64 // entries of the list that no level has read yet
}

// Bytes of one element.
const (
	wordBytes      = 4      // a label, or a word of a filter
	hubNumberBytes = 2      // a hub number
	rowBytes       = 8 + 16 // a word of the index and a Row
	copyBytes      = 16     // a row of the frontier
	listedBytes    = 8      // an entry of the list, or a vertex and its parent
)

func (m *member) traffic() *traffic {
	st := &m.state
	tasks := uint64(st.Tasks) - tasksOf(m.graph.Labels.First)
	return &traffic{
		bitmap:       tasks * taskLabels / 8,
		tasks:        tasks,
		nonHubLists:  st.Exceptions.Bytes() + st.Minors.Bytes(),
		hubs:         uint64(st.HubCount),
		minors:       uint64(st.MinorCount),
		listCapacity: uint64(st.ListCapacity),
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
	case stepDense, stepDenseHubs:
		// FirstHub, the index, and five bitmaps: both of Visited, HasFurther or
		// SecondIsHub, and Deferred, which is read and written. The first such pass
		// only writes it.
		bytes += hubNumberBytes*8*t.bitmap + 2*t.bitmap + 5*t.bitmap + wordBytes*t.hubs
		if r.Extra&extraFirstDense != 0 {
			bytes -= t.bitmap
		}
		if r.Step == stepDenseHubs {
			bytes += wordBytes*t.hubs + copyBytes*frontier + wordBytes*r.Followed // Hubs is read again: are all visited?
		} else {
			bytes += wordBytes*t.minors + t.nonHubLists
		}
	case stepDenseParents:
		t.listed = min(uint64(r.Listed), t.listCapacity)
		// The index, both bitmaps of Visited, HasRow, and Deferred where it holds
		// parents to write.
		bytes += 2*t.bitmap + 3*t.bitmap + listedBytes*t.listed
		if r.Extra&extraDeferred != 0 {
			bytes += t.bitmap
		}
	case stepList:
		bytes += listedBytes*(t.listed+uint64(r.Listed)) + wordBytes*found
		t.listed = uint64(r.Listed)
	case stepTail:
		bytes += listedBytes*t.listed + wordBytes*(r.Examined+found)
		t.listed = 0
	}
	return bytes
}

// ofExtras returns the bytes of the work that a level does in addition to its step.
func (t *traffic) ofExtras(r levelRecord) (bytes uint64) {
	frontier := uint64(r.Frontier)
	for _, e := range []struct {
		extra extra
		bytes uint64
	}{
		{extraBegin, 2 * t.bitmap},
		{extraScatter, 3 * wordBytes * frontier},
		// The queue and its parents are copied to bins. Then each bin is read twice,
		// and its parents are written in order.
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
