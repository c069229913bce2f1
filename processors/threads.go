package processors

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"strconv"
	"strings"

	"graph500/cgroup"
)

// runtimeThreads is the maximum number of threads that the Go runtime starts in addition
// to one for each processor.
const runtimeThreads = 8

// CheckThreads returns an error if the process may not start enough threads. Without
// this check the Go runtime would crash. root is the root file system of the machine;
// missing files are not an error.
func CheckThreads(root fs.FS) error {
	needed := uint64(runtime.GOMAXPROCS(0) + runtimeThreads)
	for _, available := range []func(root fs.FS, needed uint64) (threads uint64, source string, err error){threadsOfUser, threadsOfGroups} {
		threads, source, err := available(root, needed)
		if err == nil && threads < needed {
			return fmt.Errorf("this process may start %d more threads (%s): the program needs %d", threads, source, needed)
		}
	}
	return nil
}

// errUnlimited means that there is no limit, or that it is high enough.
var errUnlimited = errors.New("no limit")

// threadsOfUser returns how many more threads the user's processes may start. It
// returns errUnlimited if that is certainly at least needed.
func threadsOfUser(root fs.FS, needed uint64) (uint64, string, error) {
	limits, err := fs.ReadFile(root, "proc/self/limits")
	if err != nil {
		return 0, "", err
	}
	_, line, _ := strings.Cut(string(limits), "Max processes")
	soft, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	limit, err := strconv.ParseUint(soft, 10, 64)
	if err != nil { // unlimited
		return 0, "", errUnlimited
	}
	self, err := readStatus(root, "self")
	if err != nil {
		return 0, "", err
	}
	const exemptFromLimit = 1<<21 | 1<<24 // CAP_SYS_ADMIN, CAP_SYS_RESOURCE
	if self.user == 0 || self.capabilities&exemptFromLimit != 0 {
		return 0, "", errUnlimited
	}
	if all, err := threadsOfMachine(root); err == nil && all+needed <= limit {
		return 0, "", errUnlimited // saves reading the status of every process
	}
	processes, err := fs.Glob(root, "proc/[0-9]*")
	if err != nil {
		return 0, "", err
	}
	used := uint64(0)
	for _, process := range processes {
		// An error means that the process has ended.
		if s, err := readStatus(root, path.Base(process)); err == nil && s.user == self.user {
			used += s.threads
		}
	}
	return limit - min(limit, used), fmt.Sprintf("ulimit -u is %d, and this user has %d", limit, used), nil
}

// threadsOfMachine returns the number of threads of all users.
func threadsOfMachine(root fs.FS) (uint64, error) {
	load, err := fs.ReadFile(root, "proc/loadavg")
	if err != nil {
		return 0, err
	}
	_, counts, _ := strings.Cut(string(load), "/") // 0.20 0.18 0.12 1/80 11206
	all, _, _ := strings.Cut(counts, " ")
	return strconv.ParseUint(all, 10, 64)
}

// status holds fields of /proc/PID/status.
type processStatus struct {
	user, threads, capabilities uint64
}

func readStatus(root fs.FS, process string) (s processStatus, err error) {
	text, err := fs.ReadFile(root, path.Join("proc", process, "status"))
	if err != nil {
		return s, err
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		words := strings.Fields(value)
		if len(words) == 0 {
			continue
		}
		switch name {
		case "Uid":
			s.user, err = strconv.ParseUint(words[0], 10, 64)
		case "Threads":
			s.threads, err = strconv.ParseUint(words[0], 10, 64)
		case "CapEff":
			s.capabilities, err = strconv.ParseUint(words[0], 16, 64)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// threadsOfGroups returns how many more threads the control groups of this
// process allow.
func threadsOfGroups(root fs.FS, _ uint64) (least uint64, source string, err error) {
	groups, err := cgroup.Of(root, "pids")
	if err != nil {
		return 0, "", err
	}
	err = errUnlimited
	for _, g := range groups {
		limit, limitErr := g.Amount(root, "pids.max")
		used, usedErr := g.Amount(root, "pids.current")
		if limitErr != nil || usedErr != nil || limit == nil || used == nil {
			continue
		}
		if remaining := *limit - min(*limit, *used); err != nil || remaining < least {
			least, source, err = remaining, fmt.Sprintf("pids.max of cgroup %s is %d, and %d are there", g.Name, *limit, *used), nil
		}
	}
	return least, source, err
}
