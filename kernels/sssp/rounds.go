//go:build cuda

package sssp

import (
	"time"

	"graph500/engine"
)

// stepNames are the names of the steps in reports.
var stepNames = [...]string{stepNear: "near", stepPush: "push", stepHubs: "hubs", stepPull: "pull", stepTail: "tail", stepDense: "no lists", stepShare: "share"}

// Profile returns the rounds of the last search, and the time from its begin to the end of
// its last round, by the device's clock. A search that was made again without lists has one
// round. The result is valid until the next search.
func (s *Search) Profile() (engine.Profile, error) {
	p := &s.profile
	if s.profiled {
		return *p, nil
	}
	p.Reset()
	if s.fellBack {
		p.Add(engine.Level{Step: "no lists", Frontier: s.fallback.rounds})
		s.profiled = true
		return *p, nil
	}
	var c [1]control
	if err := s.state.Control.Read(0, c[:]); err != nil {
		return engine.Profile{}, err
	}
	records := make([]roundRecord, min(c[0].Records, maxRecords))
	if err := s.state.Rounds.Read(0, records); err != nil {
		return engine.Profile{}, err
	}
	before := c[0].Begin
	for _, r := range records {
		p.Add(engine.Level{
			Step:     stepNames[r.Step],
			Frontier: int64(r.Frontier),
			Found:    int64(r.Found),
			Examined: int64(r.Examined),
			Seconds:  time.Duration(r.End - before).Seconds(),
		})
		before = r.End
	}
	p.LevelCount = int64(c[0].Records)
	p.DeviceSeconds = time.Duration(c[0].End - c[0].Begin).Seconds()
	s.profiled = true
	return *p, nil
}
