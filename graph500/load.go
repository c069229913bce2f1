package main

import (
	"fmt"
	"io/fs"
	"strings"
	"time"

	"graph500/processors"
)

// loadMonitor detects work of other processes on the processors that this process may
// use. It takes samples between phases, never during a timed search. Where the system
// does not provide the data, it detects nothing. A nil loadMonitor does nothing.
type loadMonitor struct {
	root            fs.FS // file system of the machine
	threads         int   // of the engine
	allowed         []int
	start, searches processors.Sample
}

// startLoadMonitor takes the first sample. It returns a warning instead if there are
// more threads than processors.
func startLoadMonitor(root fs.FS, threads int) (m *loadMonitor, warning string) {
	allowed, err := processors.Find(root)
	if err != nil {
		return nil, ""
	}
	n := len(allowed.Numbers)
	switch {
	case threads > n:
		return nil, fmt.Sprintf("%d threads share the %d processors that this process may use, and wait for one another: take -threads=%[2]d, or ask for more processors", threads, n)
	case allowed.Quota > 0 && float64(threads) > allowed.Quota:
		return nil, fmt.Sprintf("%d threads have the time of %.3g processors (%s), and are stopped when it is used up: take -threads=%d, or ask for more",
			threads, allowed.Quota, allowed.Source, max(1, int(allowed.Quota)))
	}
	start, err := processors.Take(root, allowed.Numbers)
	if err != nil {
		return nil, ""
	}
	return &loadMonitor{root: root, threads: threads, allowed: allowed.Numbers, start: start, searches: start}, ""
}

// beginSearches takes the sample between the phases before the searches and the
// searches.
func (m *loadMonitor) beginSearches() {
	if m == nil {
		return
	}
	if s, err := processors.Take(m.root, m.allowed); err == nil {
		m.searches = s
	}
}

// endSearches returns a warning if other processes used the processors before or
// during the searches.
func (m *loadMonitor) endSearches() (warning string) {
	if m == nil {
		return ""
	}
	end, err := processors.Take(m.root, m.allowed)
	if err != nil {
		return ""
	}
	var seen []string
	for _, part := range []struct {
		when string
		processors.Usage
	}{
		{"before the searches ", processors.Between(m.start, m.searches)},
		{"during the searches ", processors.Between(m.searches, end)},
	} {
		if what := m.disturbance(part.Usage); what != "" {
			seen = append(seen, part.when+what)
		}
	}
	if len(seen) == 0 {
		return ""
	}
	return fmt.Sprintf("other work kept the processors busy: %s; such times are not comparable: run when nothing else uses the processors, as in an exclusive job",
		strings.Join(seen, "; "))
}

// Thresholds of a warning. The system counts the work of other processes in ticks of
// 10 ms and the waiting time of threads in nanoseconds. Waiting alone is no reason for
// a warning, because threads of one process also wait for each other.
const (
	minDisturbance     = 30 * time.Millisecond // of processor time
	maxOtherShare      = 0.05                  // of the processors; daemons of an idle machine use less than 0.02
	maxOtherProcessors = 0.25                  // processors; all threads can wait for the one on this processor
	maxWaiting         = 0.10                  // mean number of waiting threads
	maxStolenShare     = 0.05                  // of the processors, taken by the host of a virtual machine
)

// disturbance describes the work of others; empty if it is below the thresholds.
func (m *loadMonitor) disturbance(u processors.Usage) string {
	n, wall := float64(len(m.allowed)), u.Wall.Seconds()
	waiting := u.Waited.Seconds() / wall
	var seen []string
	if u.Others*wall > minDisturbance.Seconds() && (u.Others > maxOtherShare*n || u.Others > maxOtherProcessors && waiting > maxWaiting) {
		seen = append(seen, fmt.Sprintf("others used %.2g of %.0f processors", u.Others, n))
		if waiting > maxWaiting {
			seen = append(seen, fmt.Sprintf("threads waited %.0f %% of the time for one", 100*min(1, waiting/float64(m.threads))))
		}
	}
	if u.Stolen*wall > minDisturbance.Seconds() && u.Stolen > maxStolenShare*n {
		seen = append(seen, fmt.Sprintf("the host of this virtual machine took %.2g of %.0f processors", u.Stolen, n))
	}
	return strings.Join(seen, ", ")
}
