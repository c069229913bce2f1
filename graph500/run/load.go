package run

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"graph500/cluster"
	"graph500/processors"
)

// loadMonitor detects work of other processes on the processors that the ranks of this host
// may use. It takes samples between phases, never during a timed search. Where the system of
// a rank does not provide the data, it detects nothing. A nil loadMonitor does nothing.
type loadMonitor struct {
	root            fs.FS // file system of the machine
	world           *cluster.World
	threads         int   // of the ranks on this host
	allowed         []int // processors of the ranks on this host
	start, searches processors.Sample
}

// processorShare is what a rank may use of the processors of its host, and the threads with
// which it does.
type processorShare struct {
	processors.Allowed
	Host    string
	Threads int
	Known   bool
}

// startLoadMonitor takes the first sample. It returns a warning instead if there are more
// threads than processors. All ranks call it together. root is the file system of the
// machine.
func startLoadMonitor(ctx context.Context, root fs.FS, w *cluster.World, threads int) (m *loadMonitor, warning string, err error) {
	own := processorShare{Host: w.Hosts()[w.Rank()], Threads: threads}
	var findErr error
	own.Allowed, findErr = processors.Find(root)
	own.Known = findErr == nil
	shares, err := cluster.Values(ctx, w, own)
	if err != nil || slices.ContainsFunc(shares, func(s processorShare) bool { return !s.Known }) {
		return nil, "", err
	}
	if warning := tooManyThreads(shares); warning != "" {
		return nil, warning, nil
	}
	m = &loadMonitor{root: root, world: w}
	for _, s := range shares {
		if s.Host == own.Host {
			m.threads += s.Threads
			m.allowed = append(m.allowed, s.Numbers...)
		}
	}
	slices.Sort(m.allowed)
	m.allowed = slices.Compact(m.allowed)
	var takeErr error
	m.start, takeErr = processors.Take(root, m.allowed)
	taken, err := cluster.Values(ctx, w, takeErr == nil)
	if err != nil || slices.Contains(taken, false) {
		return nil, "", err
	}
	m.searches = m.start
	return m, "", nil
}

// tooManyThreads returns a warning if a rank, or the ranks of a host that use the same
// processors or the same quota, have more threads than these allow.
func tooManyThreads(shares []processorShare) string {
	for first, s := range shares {
		ranks, threads, rankOfQuota, threadsOfQuota := 0, 0, 0, 0
		for _, other := range shares {
			if other.Host != s.Host {
				continue
			}
			if other.List == s.List {
				ranks, threads = ranks+1, threads+other.Threads
			}
			if other.Source == s.Source {
				rankOfQuota, threadsOfQuota = rankOfQuota+1, threadsOfQuota+other.Threads
			}
		}
		who := func(ranks int) string {
			switch {
			case ranks > 1:
				return fmt.Sprintf(" of %d ranks on %s", ranks, s.Host)
			case len(shares) > 1:
				return fmt.Sprintf(" of rank %d on %s", first, s.Host)
			}
			return ""
		}
		switch n := len(s.Numbers); {
		case threads > n && ranks == 1:
			return fmt.Sprintf("%d threads%s share the %d processors that this process may use, and wait for one another: take -threads=%[3]d, or ask for more processors", threads, who(ranks), n)
		case threads > n:
			advice := fmt.Sprintf("start %d ranks at most", n)
			if n >= ranks {
				advice = fmt.Sprintf("take -threads=%d", n/ranks)
			}
			return fmt.Sprintf("%d threads%s share the %d processors that these may use, and wait for one another: %s, or ask for more processors", threads, who(ranks), n, advice)
		case s.Quota > 0 && float64(threadsOfQuota) > s.Quota:
			return fmt.Sprintf("%d threads%s have the time of %.3g processors (%s), and are stopped when it is used up: take -threads=%d, or ask for more",
				threadsOfQuota, who(rankOfQuota), s.Quota, s.Source, max(1, int(s.Quota)/rankOfQuota))
		}
	}
	return ""
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

// hostUsage is the use of the processors of a host, seen by a rank.
type hostUsage struct {
	Host             string
	Processors       int // of the ranks on the host
	Threads          int
	Before, Searches processors.Usage
	Known            bool
}

// endSearches returns a warning if other processes than the ranks used the processors before
// or during the searches. All ranks call it together.
func (m *loadMonitor) endSearches(ctx context.Context) (warning string, err error) {
	if m == nil {
		return "", nil
	}
	end, takeErr := processors.Take(m.root, m.allowed)
	all, err := cluster.Values(ctx, m.world, hostUsage{
		Host: m.world.Hosts()[m.world.Rank()], Processors: len(m.allowed), Threads: m.threads, Known: takeErr == nil,
		Before: processors.Between(m.start, m.searches), Searches: processors.Between(m.searches, end),
	})
	if err != nil {
		return "", err
	}
	return otherLoad(all), nil
}

// otherLoad returns the warning about the use of the processors that all ranks saw.
func otherLoad(all []hostUsage) string {
	var seen []string
	hosts := make(map[string]bool)
	for rank, u := range all {
		if hosts[u.Host] || !u.Known {
			continue
		}
		hosts[u.Host] = true
		for _, other := range all[rank+1:] {
			if other.Host == u.Host { // it is no disturbance
				u.Before = withRank(u.Before, other.Before)
				u.Searches = withRank(u.Searches, other.Searches)
			}
		}
		for _, part := range []struct {
			when string
			processors.Usage
		}{{"before the searches ", u.Before}, {"during the searches ", u.Searches}} {
			what := disturbance(part.Usage, u.Processors, u.Threads)
			if what == "" {
				continue
			}
			if len(all) > 1 {
				what += " on " + u.Host
			}
			seen = append(seen, part.when+what)
		}
	}
	if len(seen) == 0 {
		return ""
	}
	return fmt.Sprintf("other work kept the processors busy: %s; such times are not comparable: run when nothing else uses the processors, as in an exclusive job",
		strings.Join(seen, "; "))
}

// withRank returns the use of the processors with that of another rank of the host as the
// own one.
func withRank(u, other processors.Usage) processors.Usage {
	u.Others = max(0, u.Others-other.Own)
	u.Own += other.Own
	u.Waited += other.Waited
	return u
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

// disturbance describes the work of others on a number of processors, which are for a number
// of threads; empty if it is below the thresholds.
func disturbance(u processors.Usage, number, threads int) string {
	n, wall := float64(number), u.Wall.Seconds()
	waiting := u.Waited.Seconds() / wall
	var seen []string
	if u.Others*wall > minDisturbance.Seconds() && (u.Others > maxOtherShare*n || u.Others > maxOtherProcessors && waiting > maxWaiting) {
		seen = append(seen, fmt.Sprintf("others used %.2g of %.0f processors", u.Others, n))
		if waiting > maxWaiting {
			seen = append(seen, fmt.Sprintf("threads waited %.0f %% of the time for one", 100*min(1, waiting/float64(threads))))
		}
	}
	if u.Stolen*wall > minDisturbance.Seconds() && u.Stolen > maxStolenShare*n {
		seen = append(seen, fmt.Sprintf("the host of this virtual machine took %.2g of %.0f processors", u.Stolen, n))
	}
	return strings.Join(seen, ", ")
}
