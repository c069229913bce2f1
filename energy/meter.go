package energy

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

const (
	// minUpdates is the shortest interval that a counter can measure, in updates of
	// the counter. The error of an interval is at most one update.
	minUpdates = 10

	// sampleInterval is the time between two readings of the sampler. The smallest
	// range of a counter, 65 kJ, lasts for minutes even at a kilowatt.
	sampleInterval = time.Second

	// Start watches every counter for this number of times between two changes, or for
	// watchTime.
	watchedChanges = 5
	watchTime      = 2 * time.Second
	watchPause     = 200 * time.Microsecond
)

// Meter reads counters and adds up what they count. Its sampler reads them every second,
// so that it sees every start at 0. The methods of a nil Meter do nothing.
type Meter struct {
	mutex    sync.Mutex
	gauges   []*gauge
	problems []string // not taken yet
	stop     func()
}

// gauge is a counter with what is known of it.
type gauge struct {
	Counter
	update time.Duration // longest time between two changes
	last   uint64        // microjoules, as read
	total  uint64        // microjoules since the start
	broken bool
}

// Description describes a counter of a meter.
type Description struct {
	Part   Part    `json:"measured"`       // what the counter measures
	Name   string  `json:"name"`           // GPU with its PCI bus id, or processor package
	Update float64 `json:"update_seconds"` // longest time between two changes, measured before the run
}

// Start returns a meter of the counters. It takes up to watchTime to find out how often
// they change.
func Start(counters []Counter) *Meter {
	m := &Meter{}
	for _, c := range counters {
		m.gauges = append(m.gauges, &gauge{Counter: c})
	}
	var watching sync.WaitGroup
	for _, g := range m.gauges {
		watching.Go(func() {
			if err := g.watch(); err != nil {
				m.fail(g, err)
			}
		})
	}
	watching.Wait()
	done := make(chan struct{})
	var sampling sync.WaitGroup
	sampling.Go(func() { m.sample(done) })
	m.stop = sync.OnceFunc(func() { close(done); sampling.Wait() })
	return m
}

// watch measures the longest time between two changes of the counter. It is an error if
// the counter does not change twice.
func (g *gauge) watch() (err error) {
	if g.last, err = g.Read(); err != nil {
		return err
	}
	start := time.Now()
	var changed time.Time // the last time
	for changes := 0; changes < watchedChanges; time.Sleep(watchPause) {
		now := time.Now()
		switch {
		case now.Sub(start) <= watchTime:
		case changes == 0:
			return fmt.Errorf("it did not change twice in %v", watchTime)
		default:
			return nil
		}
		value, err := g.Read()
		if err != nil {
			return err
		}
		if value == g.last {
			continue
		}
		if !changed.IsZero() {
			g.update = max(g.update, now.Sub(changed))
			changes++
		}
		changed, g.last = now, value
	}
	return nil
}

// sample reads the counters regularly until done is closed.
func (m *Meter) sample(done <-chan struct{}) {
	ticker := time.NewTicker(sampleInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			m.Read()
		case <-done:
			return
		}
	}
}

// Close ends the sampler.
func (m *Meter) Close() {
	if m != nil {
		m.stop()
	}
}

// fail marks a counter as broken.
func (m *Meter) fail(g *gauge, err error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.failLocked(g, err)
}

func (m *Meter) failLocked(g *gauge, err error) {
	g.broken = true
	m.problems = append(m.problems, fmt.Sprintf("%s: no figure: %s: %v", g.Part, g.Name, err))
}

// TakeProblems returns the reasons why counters give no figures, each once.
func (m *Meter) TakeProblems() []string {
	if m == nil {
		return nil
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	problems := m.problems
	m.problems = nil
	return problems
}

// Descriptions describes the counters that work.
func (m *Meter) Descriptions() (list []Description) {
	if m == nil {
		return nil
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for _, g := range m.gauges {
		if !g.broken {
			list = append(list, Description{g.Part, g.Name, g.update.Seconds()})
		}
	}
	return list
}

// Reading is what the counters have counted at a time.
type Reading struct {
	at     time.Time
	totals []uint64 // microjoules, one for each counter
}

// Read reads all counters. That takes some microseconds for a package, and up to a few
// milliseconds for a GPU.
func (m *Meter) Read() Reading {
	if m == nil {
		return Reading{}
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	r := Reading{at: time.Now()}
	for _, g := range m.gauges {
		if !g.broken {
			if err := g.advance(); err != nil {
				m.failLocked(g, err)
			}
		}
		r.totals = append(r.totals, g.total)
	}
	return r
}

// advance adds what the counter has counted since it was last read.
func (g *gauge) advance() error {
	value, err := g.Read()
	if err != nil {
		return err
	}
	switch {
	case value >= g.last:
		g.total += value - g.last
	case g.Range < g.last: // also without a range
		return fmt.Errorf("it went back from %d to %d microjoules", g.last, value)
	default: // it started again at 0
		g.total += g.Range - g.last + value
	}
	g.last = value
	return nil
}

// CanMeasure returns whether a counter changes often enough for intervals of that length.
func (m *Meter) CanMeasure(interval time.Duration) bool {
	if m == nil {
		return false
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for _, g := range m.gauges {
		if !g.broken && interval >= minUpdates*g.update {
			return true
		}
	}
	return false
}

// Span is the sum of intervals between readings of one meter. The zero Span is empty.
type Span struct {
	intervals int
	time      time.Duration
	totals    []uint64
	unread    bool // the counters were not read at an interval
}

// Between returns the span of the interval between two readings.
func Between(from, to Reading) (s Span) {
	s.Add(from, to)
	return s
}

// Add adds the interval between two readings.
func (s *Span) Add(from, to Reading) {
	if s.totals == nil {
		s.totals = make([]uint64, len(to.totals))
	}
	for i := range to.totals {
		s.totals[i] += to.totals[i] - from.totals[i]
	}
	s.intervals++
	s.time += to.at.Sub(from.at)
}

// AddUnread adds an interval at which the counters were not read, because they do not change
// often enough. The span has no amounts then.
func (s *Span) AddUnread(interval time.Duration) {
	s.intervals++
	s.time += interval
	s.unread = true
}

// Amounts returns the energy of each part over the span. For a part whose counters change
// too seldom for the intervals of the span it returns the reason instead. A part with a
// broken counter has neither.
func (m *Meter) Amounts(s Span) (amounts []Amount, reasons []string) {
	if m == nil || s.intervals == 0 {
		return nil, nil
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	mean := s.time / time.Duration(s.intervals)
	for _, part := range []Part{Boards, Packages} {
		var update time.Duration
		var microjoules uint64
		var devices []string
		isBroken := false
		for i, g := range m.gauges {
			if g.Part == part {
				devices = append(devices, g.Name)
				update, isBroken = max(update, g.update), isBroken || g.broken
				if !s.unread {
					microjoules += s.totals[i]
				}
			}
		}
		switch {
		case len(devices) == 0 || isBroken:
		case s.unread || mean < minUpdates*update:
			reasons = append(reasons, fmt.Sprintf("%s: no figure: the counter (%s) changes every %.2g s, and a figure needs %d changes within an interval of %.2g s",
				part, strings.Join(devices, ", "), update.Seconds(), minUpdates, mean.Seconds()))
		default:
			amounts = append(amounts, Amount{part, float64(microjoules) / 1e6, s.time.Seconds()})
		}
	}
	return amounts, reasons
}
