// Package processors determines which processors this process may use, their sockets and caches,
// and how much time other processes took from them. It reads /proc, /sys and the cgroup files of
// Linux. It does not know what runs on them.
package processors

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"graph500/cgroup"
)

// Allowed describes the processors that this process may use.
type Allowed struct {
	Numbers []int   // processor numbers, by affinity and cpuset
	List    string  // the same as the system writes them, such as 0-3,8
	Quota   float64 // processor time per wall-clock time that a cgroup allows; 0 = no limit
	Source  string  // file and cgroup of the quota
}

// Find returns the processors that this process may use. root is the file system
// of the machine.
func Find(root fs.FS) (Allowed, error) {
	var a Allowed
	status, err := fs.ReadFile(root, "proc/self/status")
	if err != nil {
		return a, err
	}
	_, after, _ := strings.Cut(string(status), "\nCpus_allowed_list:")
	list, _, _ := strings.Cut(after, "\n")
	a.List = strings.TrimSpace(list)
	if a.Numbers, err = Parse(a.List); err != nil {
		return a, fmt.Errorf("proc/self/status: Cpus_allowed_list: %w", err)
	}
	a.Quota, a.Source, err = quota(root)
	return a, err
}

// Parse parses a list of numbers such as "0-3,8".
func Parse(list string) (all []int, err error) {
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		low, err := strconv.Atoi(first)
		if err != nil {
			return nil, err
		}
		high, err := strconv.Atoi(last)
		if err != nil {
			return nil, err
		}
		if high < low {
			return nil, fmt.Errorf("empty range %q", part)
		}
		for n := low; n <= high; n++ {
			all = append(all, n)
		}
	}
	return all, nil
}

// quota returns the smallest quota of the cgroups of this process, in processors,
// and its source. It is 0 if no cgroup has a quota.
func quota(root fs.FS) (least float64, source string, err error) {
	groups, err := cgroup.Of(root, "cpu")
	if err != nil {
		return 0, "", err
	}
	for _, g := range groups {
		granted, file, err := quotaOf(root, g)
		if err != nil {
			return 0, "", err
		}
		if granted > 0 && (least == 0 || granted < least) {
			least, source = granted, fmt.Sprintf("%s of cgroup %s", file, g.Name)
		}
	}
	return least, source, nil
}

// quotaOf returns the quota of one cgroup in processors, 0 if it has none, and
// the name of its file.
func quotaOf(root fs.FS, g cgroup.Group) (granted float64, file string, err error) {
	file = "cpu.max" // "max 100000" or "150000 100000"
	words, err := g.Words(root, file)
	if g.Version == 1 {
		file = "cpu.cfs_quota_us" // -1 = no quota
		if words, err = g.Words(root, file); err == nil && words != nil {
			var period []string
			period, err = g.Words(root, "cpu.cfs_period_us")
			words = append(words, period...)
		}
	}
	if err != nil || words == nil || words[0] == "max" || words[0] == "-1" {
		return 0, file, err
	}
	if len(words) == 2 {
		share, shareErr := strconv.ParseFloat(words[0], 64)
		period, periodErr := strconv.ParseFloat(words[1], 64)
		if shareErr == nil && periodErr == nil && share > 0 && period > 0 {
			return share / period, file, nil
		}
	}
	return 0, file, fmt.Errorf("%s/%s: unexpected %q", g.Dir, file, words)
}
