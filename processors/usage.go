package processors

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Sample holds what the clocks of the system showed at one time, since the
// machine or a thread was started.
type Sample struct {
	at      time.Time
	busy    time.Duration // of the allowed processors with everyone's work
	stolen  time.Duration // that the host of a virtual machine took from them
	threads map[string]thread
}

// thread is what the scheduler tells of a thread of this process.
type thread struct {
	ran, waited time.Duration // waited while it could have run
}

// Usage is what happened on the allowed processors between two samples.
type Usage struct {
	Wall   time.Duration
	Others float64       // mean number of processors busy with others' work
	Stolen float64       // mean number taken by the host of a virtual machine
	Waited time.Duration // of all threads of this process, ready to run without a processor
}

// Take reads the clocks of the allowed processors. An error means that the
// system does not tell.
func Take(root fs.FS, allowed []int) (Sample, error) {
	s := Sample{at: time.Now()}
	var err error
	if s.busy, s.stolen, err = busyTimes(root, allowed); err != nil {
		return s, err
	}
	s.threads, err = threads(root)
	return s, err
}

// Between returns what happened between two samples. Of threads that have ended
// the system tells nothing.
func Between(first, last Sample) Usage {
	u := Usage{Wall: last.at.Sub(first.at)}
	var own time.Duration
	for id, t := range last.threads {
		own += t.ran - first.threads[id].ran
		u.Waited += t.waited - first.threads[id].waited
	}
	if u.Wall > 0 {
		u.Others = max(0, float64(last.busy-first.busy-own)/float64(u.Wall))
		u.Stolen = float64(last.stolen-first.stolen) / float64(u.Wall)
	}
	return u
}

// tick is the unit of /proc/stat.
const tick = 10 * time.Millisecond

// Words of a processor's line in /proc/stat, see proc_stat(5).
const (
	user, nice, system, irq, softirq, steal = 1, 2, 3, 6, 7, 8
)

// busyTimes sums up over processors how long they worked, and how long they were
// taken away by the host.
func busyTimes(root fs.FS, allowed []int) (busy, stolen time.Duration, err error) {
	const file = "proc/stat"
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return 0, 0, err
	}
	found := 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) <= steal {
			continue
		}
		name, isProcessor := strings.CutPrefix(words[0], "cpu")
		number, err := strconv.Atoi(name)
		if !isProcessor || err != nil || !slices.Contains(allowed, number) {
			continue
		}
		found++
		for _, at := range []int{user, nice, system, irq, softirq, steal} {
			ticks, err := strconv.ParseInt(words[at], 10, 64)
			if err != nil {
				return 0, 0, fmt.Errorf("%s: %w", file, err)
			}
			if at == steal {
				stolen += time.Duration(ticks) * tick
			} else {
				busy += time.Duration(ticks) * tick
			}
		}
	}
	if found < len(allowed) {
		return 0, 0, fmt.Errorf("%s: %d of %d processors", file, found, len(allowed))
	}
	return busy, stolen, nil
}

// threads reads what the scheduler tells of every thread of this process.
func threads(root fs.FS) (map[string]thread, error) {
	const dir = "proc/self/task"
	entries, err := fs.ReadDir(root, dir)
	if err != nil {
		return nil, err
	}
	all := make(map[string]thread)
	var ran time.Duration
	for _, entry := range entries {
		text, err := fs.ReadFile(root, path.Join(dir, entry.Name(), "schedstat"))
		if err != nil {
			continue // the thread has ended
		}
		var t thread // "102382 86448 2": nanoseconds, nanoseconds, times
		if _, err := fmt.Sscan(string(text), &t.ran, &t.waited); err != nil {
			return nil, fmt.Errorf("%s/%s/schedstat: %w", dir, entry.Name(), err)
		}
		all[entry.Name()] = t
		ran += t.ran
	}
	if ran == 0 {
		return nil, fmt.Errorf("%s: the scheduler does not tell", dir)
	}
	return all, nil
}
