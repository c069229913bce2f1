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
type watch struct {
	root            fs.FS // file system of the machine
	threads         int   // that search
	allowed         []int
	start, searches processors.Sample
}

// startWatch begins to watch and returns a warning if more threads search than
// there are processors for them.
func startWatch(root fs.FS, threads int) (w *watch, warning string) {
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
	return &watch{root: root, threads: threads, allowed: allowed.Numbers, start: start, searches: start}, ""
}

// beginSearches ends what is before the searches.
func (w *watch) beginSearches() {
	if w == nil {
		return
	}
	if s, err := processors.Take(w.root, w.allowed); err == nil {
		w.searches = s
	}
}

// endSearches returns a warning if others used the processors before or during
// the searches.
func (w *watch) endSearches() (warning string) {
	if w == nil {
		return ""
	}
	end, err := processors.Take(w.root, w.allowed)
	if err != nil {
		return ""
	}
	var seen []string
	for _, part := range []struct {
		when string
		processors.Usage
	}{
		{"before the searches ", processors.Between(w.start, w.searches)},
		{"during the searches ", processors.Between(w.searches, end)},
	} {
		if what := w.disturbance(part.Usage); what != "" {
			seen = append(seen, part.when+what)
		}
	}
	if len(seen) == 0 {
		return ""
	}
	return fmt.Sprintf("other work kept the processors busy: %s; such times are not comparable: run when nothing else uses the processors, as in an exclusive job",
		strings.Join(seen, "; "))
}

const (
	// The scheduler counts in nanoseconds: a wait of a few milliseconds, which
	// is a turn of another process, can be told in a short time.
	leastWatched = 20 * time.Millisecond
	mostWaited   = 0.05 // of the threads' time; searches on an idle machine wait under 0.01

	// Processors are counted in ticks of 10 ms.
	leastCounted = 500 * time.Millisecond
	mostOthers   = 0.10 // of the processors' time; the daemons of an idle machine take under 0.02
	mostStolen   = 0.05 // of the processors' time
)

// disturbance says what others did, and is empty if it was little.
func (w *watch) disturbance(u processors.Usage) string {
	var seen []string
	if waited := u.Waited.Seconds() / (u.Wall.Seconds() * float64(w.threads)); u.Wall >= leastWatched && waited > mostWaited {
		seen = append(seen, fmt.Sprintf("threads waited %.0f %% of the time for a processor", 100*min(1, waited)))
	}
	n := float64(len(w.allowed))
	if u.Wall >= leastCounted && u.Others > mostOthers*n {
		seen = append(seen, fmt.Sprintf("others used %.3g of %.0f processors", u.Others, n))
	}
	if u.Wall >= leastCounted && u.Stolen > mostStolen*n {
		seen = append(seen, fmt.Sprintf("the host of this virtual machine took %.3g of %.0f processors", u.Stolen, n))
	}
	return strings.Join(seen, ", ")
}
