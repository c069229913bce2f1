//go:build cuda

package sssp

import (
	"time"

	"graph500/engine"
)

// stepNames are the names of the steps in reports.
var stepNames = [...]string{stepNear: "near", stepPush: "push", stepHubs: "hubs", stepPull: "pull", stepTail: "tail", stepDense: "no lists"}

// Profile returns the rounds of the last search, and the time from its begin to the end of its last
// round. Times are those of the first device of this process, by its clock, arcs and vertices those
// of all; of the near step and the pushes, which each device makes, those of the first device. A
// search that one device made again without lists has one round. The result is valid until the next
// search.
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
	if err := s.members[0].state.Control.Read(0, c[:]); err != nil {
		return engine.Profile{}, err
	}
	count := int(min(c[0].Records, maxRecords))
	sums := make([]int64, 2*count) // examined and found
	var first []roundRecord
	for i, m := range s.members {
		records := make([]roundRecord, count)
		if err := m.state.Rounds.Read(0, records); err != nil {
			return engine.Profile{}, err
		}
		for k, r := range records {
			sums[2*k] += int64(r.Examined)
			sums[2*k+1] += int64(r.Found)
		}
		if i == 0 {
			first = records
		}
	}
	if err := s.team.Sum(sums); err != nil {
		return engine.Profile{}, err
	}
	before := c[0].Begin
	for k, r := range first {
		p.Add(engine.Level{
			Step: stepNames[r.Step], Frontier: int64(r.Frontier), Found: sums[2*k+1], Examined: sums[2*k],
			Seconds: time.Duration(r.End - before).Seconds(),
		})
		before = r.End
	}
	p.LevelCount = int64(c[0].Records)
	p.DeviceSeconds = time.Duration(c[0].End - c[0].Begin).Seconds()
	s.profiled = true
	return *p, nil
}
