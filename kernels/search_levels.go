//go:build cuda

package kernels

import (
	"encoding/binary"
	"time"

	"graph500/engine"
)

// searchRecord is what the device noted of the last search, read when somebody
// asks.
type searchRecord struct {
	known  bool
	levels []engine.Level
	time   time.Duration
}

// Levels returns the levels of the last search, the first 16384 of them, valid
// until the next.
func (s *Searcher) Levels() ([]engine.Level, error) {
	err := s.read()
	return s.record.levels, err
}

// DeviceTime returns the time from the beginning of the last search to the end
// of the last recorded level, by the device's clock.
func (s *Searcher) DeviceTime() (time.Duration, error) {
	err := s.read()
	return s.record.time, err
}

func (s *Searcher) read() error {
	r := &s.record
	if r.known {
		return nil
	}
	control := make([]byte, s.control.Len())
	if err := s.control.Read(0, control); err != nil {
		return err
	}
	count := binary.LittleEndian.Uint32(control[s.shape.levelCount:])
	before := binary.LittleEndian.Uint64(control[s.shape.begin:])
	r.levels, r.time = r.levels[:0], 0
	traffic := traffic{labels: padded(uint64(s.graph.Info.Vertices)), rows: int64(s.graph.Rows.Len()), listRoom: int64(s.list.Len())}
	traffic.left = traffic.rows - 1
	for _, l := range s.levels.Host()[:min(count, levelRoom)] {
		level := engine.Level{
			Direction: engine.TopDown,
			Frontier:  int64(l.Frontier),
			Found:     int64(l.Found),
			Examined:  int64(l.Examined),
			Time:      time.Duration(l.End - before),
		}
		if l.Direction == 1 {
			level.Direction = engine.BottomUp
		}
		level.Bytes = traffic.of(level)
		r.levels = append(r.levels, level)
		r.time += level.Time
		before = l.End
	}
	r.known = true
	return nil
}

// traffic estimates the memory traffic of the levels of a search, one after
// the other: what the algorithm must move at least, in sectors of 32 bytes
// where it jumps about, whether or not the caches spare the memory some of it.
type traffic struct {
	labels   uint64 // padded
	rows     int64
	listRoom int64

	left   int64 // vertices that are not visited
	before engine.Direction
}

const sector = 32

func (t *traffic) of(l engine.Level) int64 {
	left := t.left
	again := t.before == engine.BottomUp
	t.left -= l.Found
	t.before = l.Direction
	bitmap := int64(t.labels) / 8
	switch {
	case l.Direction == engine.TopDown:
		// A queue entry, an index word and a row for each vertex, the
		// neighbours, and a parent for each vertex found.
		return l.Frontier*(4+2*sector) + 4*l.Examined + l.Found*(4+sector)
	case !again || left > t.rows/4*3:
		// The pass over numbers of hubs, with three bitmaps; then bitmaps and
		// index for those that look further, each with a sector.
		return int64(2*t.labels) + 3*bitmap + 4*bitmap + sector*further(l, left)
	case left > t.listRoom:
		// The pass over first neighbours, which writes the parents.
		return int64((4+4)*t.labels) + 5*bitmap + 4*bitmap + sector*further(l, left)
	}
	// The rest of the vertices look from registers into a bitmap.
	return sector*max(l.Examined-left, 0) + l.Found*sector
}

// further is the number of vertices that looked at more than one neighbour, if
// each looked at four more.
func further(l engine.Level, left int64) int64 { return max(l.Examined-left, 0) / 4 }
