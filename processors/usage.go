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

// Sample holds the accumulated processor times of the system at one moment.
type Sample struct {
	at      time.Time
	busy    time.Duration     // of the allowed processors, for all processes
	stolen  time.Duration     // taken from them by the hypervisor
	threads map[string]thread // by thread id
}

// thread holds the scheduler times of one thread of this process.
type thread struct {
	ran, waited time.Duration // waited = ready to run, without a processor
}

// Usage is the use of the allowed processors between two samples.
type Usage struct {
	Wall   time.Duration
	Own    float64       // mean number of processors busy with this process
	Others float64       // mean number of processors busy with other processes
	Stolen float64       // mean number of processors taken by the hypervisor
	Waited time.Duration // sum over the threads of this process of the time ready to run without a processor
}

// Take reads the times of the allowed processors. It returns an error if the
// system does not provide them.
func Take(root fs.FS, allowed []int) (Sample, error) {
	s := Sample{at: time.Now()}
	var err error
	if s.busy, s.stolen, err = busyTimes(root, allowed); err != nil {
		return s, err
	}
	s.threads, err = threads(root)
	return s, err
}

// Between returns the usage between two samples. It does not include the times
// of threads that have ended, which the system does not report.
func Between(first, last Sample) Usage {
	u := Usage{Wall: last.at.Sub(first.at)}
	var own time.Duration
	for id, t := range last.threads {
		own += t.ran - first.threads[id].ran
		u.Waited += t.waited - first.threads[id].waited
	}
	if u.Wall > 0 {
		u.Own = float64(own) / float64(u.Wall)
		u.Others = max(0, float64(last.busy-first.busy-own)/float64(u.Wall))
		u.Stolen = float64(last.stolen-first.stolen) / float64(u.Wall)
	}
	return u
}

// tick is the unit of time in /proc/stat.
const tick = 10 * time.Millisecond

// Columns of a processor's line in /proc/stat, see proc_stat(5).
const (
	user, nice, system, irq, softirq, steal = 1, 2, 3, 6, 7, 8
)

// busyTimes returns the total busy and stolen times of the allowed processors.
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
		for _, column := range []int{user, nice, system, irq, softirq, steal} {
			ticks, err := strconv.ParseInt(words[column], 10, 64)
			if err != nil {
				return 0, 0, fmt.Errorf("%s: %w", file, err)
			}
			if column == steal {
				stolen += time.Duration(ticks) * tick
			} else {
				busy += time.Duration(ticks) * tick
			}
		}
	}
	if found < len(allowed) {
		return 0, 0, fmt.Errorf("%s: lists only %d of %d processors", file, found, len(allowed))
	}
	return busy, stolen, nil
}

// threads reads the scheduler times of every thread of this process.
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
		var t thread // "102382 86448 2": ran (ns), waited (ns), number of time slices
		if _, err := fmt.Sscan(string(text), &t.ran, &t.waited); err != nil {
			return nil, fmt.Errorf("%s/%s/schedstat: %w", dir, entry.Name(), err)
		}
		all[entry.Name()] = t
		ran += t.ran
	}
	if ran == 0 {
		return nil, fmt.Errorf("%s: no scheduler statistics", dir)
	}
	return all, nil
}
