package memory

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// Available returns how much memory this process can still take before the
// system refuses it or ends the process: the smallest of what the machine
// has left, what every memory cgroup above the process has left (version 2
// and 1), and the process's own limits. An error means that the amount is
// unknown; callers may go on without a check.
func Available() (Limit, error) { return available(os.DirFS("/")) }

// available reads the files of the system whose root directory is root.
func available(root fs.FS) (Limit, error) {
	var limits []Limit
	for _, read := range []func(fs.FS) ([]Limit, error){machine, cgroups, process} {
		l, err := read(root)
		if err != nil {
			return Limit{}, fmt.Errorf("memory: available amount unknown: %w", err)
		}
		limits = append(limits, l...)
	}
	least := limits[0]
	for _, l := range limits[1:] {
		if l.Bytes < least.Bytes {
			least = l
		}
	}
	return least, nil
}

// machine reads what the kernel believes it can give without swapping, and
// the commit limit where the kernel keeps to it strictly.
func machine(root fs.FS) ([]Limit, error) {
	const file = "proc/meminfo"
	info, err := table(root, file, ":")
	if err != nil {
		return nil, err
	}
	free, err := kibibytes(info, file, "MemAvailable")
	if err != nil {
		return nil, err
	}
	limits := []Limit{{free, "available memory of the machine"}}
	mode, err := fs.ReadFile(root, "proc/sys/vm/overcommit_memory")
	if err != nil || string(bytes.TrimSpace(mode)) != "2" {
		return limits, nil
	}
	limit, err := kibibytes(info, file, "CommitLimit")
	if err != nil {
		return nil, err
	}
	committed, err := kibibytes(info, file, "Committed_AS")
	if err != nil {
		return nil, err
	}
	return append(limits, Limit{left(limit, committed), "commit limit of the machine (vm.overcommit_memory=2)"}), nil
}

// process reads the limits that ulimit -v and -d set.
func process(root fs.FS) ([]Limit, error) {
	const file = "proc/self/status"
	data, err := fs.ReadFile(root, "proc/self/limits")
	if err != nil {
		return nil, err
	}
	var limits []Limit
	for _, l := range []struct{ name, used, source string }{
		{"Max address space", "VmSize", "address space limit of the process (ulimit -v)"},
		{"Max data size", "VmData", "data size limit of the process (ulimit -d)"},
	} {
		soft, err := softLimit(data, l.name)
		if err != nil {
			return nil, err
		}
		if soft == "unlimited" {
			continue
		}
		limit, err := strconv.ParseUint(soft, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("proc/self/limits: %s: %w", l.name, err)
		}
		status, err := table(root, file, ":")
		if err != nil {
			return nil, err
		}
		used, err := kibibytes(status, file, l.used)
		if err != nil {
			return nil, err
		}
		limits = append(limits, Limit{left(limit, used), l.source})
	}
	return limits, nil
}

func softLimit(limits []byte, name string) (string, error) {
	for line := range strings.Lines(string(limits)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			if f := strings.Fields(rest); len(f) > 0 {
				return f[0], nil
			}
		}
	}
	return "", fmt.Errorf("proc/self/limits: no line %q", name)
}

// hierarchy is a mounted tree of memory cgroups.
type hierarchy struct {
	root  string // the group that is mounted
	mount string // where

	limit, usage, cache string // files, and the reclaimable line of memory.stat
}

// cgroups reads the limits of the process's memory groups and all groups
// above them, as far as they are mounted here.
func cgroups(root fs.FS) ([]Limit, error) {
	membership, err := fs.ReadFile(root, "proc/self/cgroup")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // a kernel without cgroups
	}
	if err != nil {
		return nil, err
	}
	v1, v2, err := hierarchies(root)
	if err != nil {
		return nil, err
	}
	var limits []Limit
	for line := range strings.Lines(string(membership)) {
		part := strings.SplitN(strings.TrimRight(line, "\n"), ":", 3)
		if len(part) != 3 {
			return nil, fmt.Errorf("proc/self/cgroup: unexpected line %q", line)
		}
		h := v1
		if part[1] == "" {
			h = v2
		} else if !hasWord(part[1], "memory") {
			continue
		}
		if h == nil {
			continue
		}
		l, err := h.walk(root, part[2])
		if err != nil {
			return nil, err
		}
		limits = append(limits, l...)
	}
	return limits, nil
}

// hierarchies finds the mounted memory hierarchies, nil where there is none.
func hierarchies(root fs.FS) (v1, v2 *hierarchy, err error) {
	f, err := root.Open("proc/self/mountinfo")
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20) // overlay mounts have long lines
	for s.Scan() {
		// ID PARENT DEVICE ROOT MOUNT OPTIONS [TAG...] - TYPE SOURCE SUPER, see proc_pid_mountinfo(5).
		before, after, ok := strings.Cut(s.Text(), " - ")
		b, a := strings.Fields(before), strings.Fields(after)
		if !ok || len(b) < 6 || len(a) < 3 {
			continue
		}
		group, mount := unescape.Replace(b[3]), unescape.Replace(b[4])
		switch {
		case a[0] == "cgroup2" && v2 == nil:
			v2 = &hierarchy{group, mount, "memory.max", "memory.current", "inactive_file"}
		case a[0] == "cgroup" && v1 == nil && hasWord(a[2], "memory"):
			v1 = &hierarchy{group, mount, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}
		}
	}
	return v1, v2, s.Err()
}

// walk reads the limits from the named group up to the mounted one.
func (h *hierarchy) walk(root fs.FS, group string) ([]Limit, error) {
	// A container without a namespace of its own names the group as the host
	// does, and mounts only that part of the tree.
	below, ok := strings.CutPrefix(path.Clean("/"+group), strings.TrimRight(h.root, "/"))
	if !ok {
		below = "/"
	}
	var limits []Limit
	for group = path.Clean("/" + below); ; group = path.Dir(group) {
		l, err := h.read(root, group)
		if err != nil {
			return nil, err
		}
		limits = append(limits, l...)
		if group == "/" {
			return limits, nil
		}
	}
}

// read returns the limit of one group, if it has one.
func (h *hierarchy) read(root fs.FS, group string) ([]Limit, error) {
	dir := strings.TrimPrefix(path.Join(h.mount, group), "/")
	limit, err := amount(root, path.Join(dir, h.limit))
	if err != nil || limit == nil {
		return nil, err
	}
	used, err := amount(root, path.Join(dir, h.usage))
	if err != nil || used == nil {
		return nil, err
	}
	stat, err := table(root, path.Join(dir, "memory.stat"), " ")
	if err != nil {
		return nil, err
	}
	// Pages of files that nobody used lately count as used, yet go first.
	cache, err := strconv.ParseUint(stat[h.cache], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s/memory.stat: %s: %w", dir, h.cache, err)
	}
	return []Limit{{left(*limit, left(*used, cache)), "limit of cgroup " + group + " (" + h.limit + ")"}}, nil
}

// amount reads a file that holds one number, nil if there is no such file or
// it says "max".
func amount(root fs.FS, name string) (*uint64, error) {
	data, err := fs.ReadFile(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text := string(bytes.TrimSpace(data))
	if text == "max" {
		return nil, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &n, nil
}

// table reads a file of names and values, one pair a line.
func table(root fs.FS, name, separator string) (map[string]string, error) {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return nil, err
	}
	t := make(map[string]string)
	for line := range strings.Lines(string(data)) {
		if k, v, ok := strings.Cut(line, separator); ok {
			t[k] = strings.TrimSpace(v)
		}
	}
	return t, nil
}

// kibibytes returns a value such as "123 kB" in bytes.
func kibibytes(t map[string]string, file, name string) (uint64, error) {
	n, err := strconv.ParseUint(strings.TrimSuffix(t[name], " kB"), 10, 54)
	if err != nil {
		return 0, fmt.Errorf("%s: %s: %w", file, name, err)
	}
	return n << 10, nil
}

func left(limit, used uint64) uint64 { return limit - min(limit, used) }

func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}
