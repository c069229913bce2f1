package memory

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"

	"graph500/cgroup"
)

// Available returns the memory that this process can still allocate before the
// system refuses an allocation or kills the process. It is the minimum of the
// available memory of the machine, of every memory cgroup of the process
// (versions 1 and 2) and of the limits of the process. An error means that the
// amount is unknown; callers may continue without a check.
func Available() (Limit, error) {
	// The Go runtime allocates heap arenas and thread stacks. It cannot report
	// an error if an address-space or data limit refuses them.
	const arena, stack, otherThreads = 64 << 20, 8 << 20, 8
	reserve := arena + uint64(runtime.GOMAXPROCS(0)+otherThreads)*stack
	return available(os.DirFS("/"), reserve)
}

// available is Available for the file system root. It subtracts reserve bytes
// from the limits of the process.
func available(root fs.FS, reserve uint64) (Limit, error) {
	return least(root, machine, cgroups, func(root fs.FS) ([]Limit, error) { return process(root, reserve) })
}

// AvailablePages is Available for memory that is allocated but not in use yet: without the
// limits that count it already.
func AvailablePages() (Limit, error) {
	free := func(root fs.FS) ([]Limit, error) {
		limits, err := machine(root)
		return limits[:min(1, len(limits))], err
	}
	return least(os.DirFS("/"), free, cgroups)
}

// least returns the smallest limit of all.
func least(root fs.FS, readers ...func(fs.FS) ([]Limit, error)) (Limit, error) {
	var limits []Limit
	for _, read := range readers {
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

// machine reads the memory that the kernel can provide without swapping, and the
// commit limit if the kernel enforces it.
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
func process(root fs.FS, reserve uint64) ([]Limit, error) {
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
		limits = append(limits, Limit{left(limit, used+reserve), l.source})
	}
	return limits, nil
}

// softLimit returns the soft limit of the given name in /proc/self/limits.
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

// cgroups reads the limits of the memory cgroups of the process and of their
// mounted parents.
func cgroups(root fs.FS) ([]Limit, error) {
	groups, err := cgroup.Of(root, "memory")
	if err != nil {
		return nil, err
	}
	var limits []Limit
	for _, g := range groups {
		limit, usage, cache := "memory.max", "memory.current", "inactive_file"
		if g.Version == 1 {
			limit, usage, cache = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
		}
		most, err := g.Amount(root, limit)
		if err != nil {
			return nil, err
		}
		used, err := g.Amount(root, usage)
		if err != nil {
			return nil, err
		}
		if most == nil || used == nil {
			continue
		}
		stat, err := table(root, path.Join(g.Dir, "memory.stat"), " ")
		if err != nil {
			return nil, err
		}
		// Inactive page cache counts as usage, but the kernel reclaims it first.
		reclaimable, err := strconv.ParseUint(stat[cache], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s/memory.stat: %s: %w", g.Dir, cache, err)
		}
		limits = append(limits, Limit{left(*most, left(*used, reclaimable)), "limit of cgroup " + g.Name + " (" + limit + ")"})
	}
	return limits, nil
}

// table reads a file with one pair of name and value per line.
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

// kibibytes returns a value such as "123 kB" in bytes. The unit is KiB.
func kibibytes(t map[string]string, file, name string) (uint64, error) {
	n, err := strconv.ParseUint(strings.TrimSuffix(t[name], " kB"), 10, 54)
	if err != nil {
		return 0, fmt.Errorf("%s: %s: %w", file, name, err)
	}
	return n << 10, nil
}

// left returns limit - used, at least 0.
func left(limit, used uint64) uint64 { return limit - min(limit, used) }
