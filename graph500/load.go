package main

import (
	"fmt"
	"io/fs"
	"strings"
	"time"

	"graph500/processors"
)

// watch looks for work of others on the processors that this process may use.
// It looks between the phases, never inside the clock of a search. Where the
// system does not tell, it finds nothing. A nil watch does nothing.
type loadMonitor struct {
	root            fs.FS // file system of the machine
	threads         int   // that search
	allowed         []int
	start, searches processors.Sample
}

// startLoadMonitor begins to watch and returns a warning if more threads search than
// there are processors for them.
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

// beginSearches ends what is before the searches.
func (m *loadMonitor) beginSearches() {
	if m == nil {
		return
	}
	if s, err := processors.Take(m.root, m.allowed); err == nil {
		m.searches = s
	}
}

// endSearches returns a warning if others used the processors before or during
// the searches.
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

// What is borne in silence. The work of others is counted in ticks of 10 ms, the
// wait of threads in nanoseconds; but threads of one process wait for one another
// too, so that a wait alone says nothing of others.
const (
	minDisturbance     = 30 * time.Millisecond
	maxOtherShare      = 0.05 // of the processors; the daemons of an idle machine take under 0.02
	maxOtherProcessors = 0.25 // processors, of which one may be what all threads wait for
	maxWaiting         = 0.10 // threads waiting, on average
	maxStolenShare     = 0.05 // of the processors
)

// disturbance says what others did, and is empty if it was little.
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
