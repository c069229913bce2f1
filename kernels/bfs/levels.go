//go:build cuda

package bfs

import (
	"time"

	"graph500/engine"
)

// Profile returns the levels of the last search, valid until the next, and the
// time from its beginning to the end of its last level, by the device's clock; 0
// if not all levels are recorded.
func (s *Search) Profile() (engine.Profile, error) {
	p := &s.profile
	if s.known {
		return *p, nil
	}
	var c [1]control
	if err := s.state.Control.Read(0, c[:]); err != nil {
		return engine.Profile{}, err
	}
	before := c[0].Begin
	p.Reset()
	traffic := traffic{
		labels:     int64(s.state.Tasks) * taskLabels,
		exceptions: int64(s.state.Exceptions.Bytes() + s.state.Minors.Bytes()),
		rows:       int64(s.graph.Rows.Len()),
		listRoom:   int64(s.state.ListRoom),
		threads:    threads,
		left:       int64(s.graph.Rows.Len()) - 1,
	}
	records := make([]levelRecord, min(c[0].LevelCount, engine.MaxLevels))
	if err := s.state.Levels.Read(0, records); err != nil {
		return engine.Profile{}, err
	}
	for _, l := range records {
		level := engine.Level{
			Direction: engine.TopDown,
			Frontier:  int64(l.Frontier),
			Found:     int64(l.Found),
			Examined:  int64(l.Examined),
			Seconds:   time.Duration(l.End - before).Seconds(),
		}
		if l.Direction == 1 {
			level.Direction = engine.BottomUp
		}
		level.Bytes = traffic.of(level)
		p.Add(level)
		p.DeviceSeconds += level.Seconds
		before = l.End
	}
	if p.LevelCount = int64(c[0].LevelCount); p.LevelCount > engine.MaxLevels {
		p.DeviceSeconds = 0
	}
	s.known = true
	return *p, nil
}

// traffic estimates the memory traffic of the levels of a search, one after
// the other: what it must move at least, in sectors of 32 bytes where it jumps
// about, whether or not the caches spare the memory some of it. Single bits
// looked up or set in a bitmap do not count: the second-level cache holds it.
// Parents put in order count as if they were written at once, a level that looks
// for hubs only as one that looks at all neighbours, and one that goes through a
// long list as one of those that follow.
type traffic struct {
	labels     int64 // padded
	exceptions int64 // bytes, with those whose first neighbour is a minor hub
	rows       int64
	listRoom   int64
	threads    int64 // of a block

	left int64      // vertices that are not visited
	last searchStep // how the level before was done
}

const sector = 32

// searchStep is a way in which search.cu goes through a level.
type searchStep uint8

const (
	stepNone        searchStep = iota
	stepTopDown                // top-down
	stepFirst                  // firstNeighbors
	stepEmitPending            // emit, with the parents that the passes before it owe
	stepEmit                   // emit
	stepTail
)

// step returns how the next level was done. It does not notice when a search
// turned top-down and back again with no level between.
func (t *traffic) step(l engine.Level) searchStep {
	if l.Direction == engine.TopDown {
		return stepTopDown
	}
	switch t.last {
	case stepNone, stepTopDown:
		return stepFirst
	case stepFirst:
		if t.left > t.rows/4*3 && l.Frontier*16 > t.left {
			return stepFirst
		}
		return stepEmitPending
	}
	if t.left > t.listRoom {
		return stepEmit
	}
	return stepTail
}

func (t *traffic) of(l engine.Level) (bytes int64) {
	before, left, bitmap := t.last, t.left, t.labels/8
	t.last = t.step(l)
	t.left -= l.Found
	if before == stepNone { // which labels have a row becomes which are visited
		bytes += 2 * bitmap
	}
	// Bottom-up, neighbours looked at beyond the first one of each vertex; four
	// of them are one Further.
	more := max(l.Examined-left, 0)
	further := sector * (more / 4)
	switch t.last {
	case stepTopDown:
		// A queue entry, an index word and a row for each vertex, the
		// neighbours, a parent and a queue entry for each vertex found; long
		// queues have their rows copied first.
		bytes += l.Frontier*(4+2*sector) + 4*l.Examined + l.Found*(4+sector)
		if l.Frontier > t.threads {
			bytes += l.Frontier * 2 * 16
		}
		if before > stepTopDown { // two bitmaps become the queue
			bytes += 2*bitmap + 4*l.Frontier
		}
	case stepFirst:
		// Numbers of hubs and exceptions, with the bitmaps visited, more, after
		// and byFirst; then the index, as long as two, for those that look
		// further.
		bytes += 2*t.labels + t.exceptions + 4*bitmap + 2*bitmap + further
		if before == stepFirst { // byFirst is not fresh
			bytes += bitmap
		}
	case stepEmitPending, stepEmit:
		// First neighbours, with the bitmaps visited, present and after; then
		// those that look further, and the list of what stays.
		bytes += 4*t.labels + 3*bitmap + further + 8*min(t.left, t.listRoom)
		if t.last == stepEmitPending { // byFirst, and all parents in order
			bytes += bitmap + 4*t.labels
		} else {
			bytes += l.Found * sector
		}
	case stepTail:
		// The rest look from registers into a bitmap, those with longer rows
		// at all their neighbours.
		bytes += 4*more + l.Found*sector
		if before != stepTail { // the list becomes the registers
			bytes += 8 * left
		}
	}
	return bytes
}
