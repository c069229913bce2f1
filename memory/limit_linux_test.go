package memory

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"
)

const gib = 1 << 30

func file(lines ...string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(strings.Join(lines, "\n") + "\n")}
}

// base is a machine with 8 GiB of available memory and no limits.
func base() fstest.MapFS {
	return fstest.MapFS{
		"proc/meminfo": file(
			"MemTotal:       16777216 kB",
			"MemFree:         1048576 kB",
			"MemAvailable:    8388608 kB",
			"CommitLimit:     6291456 kB",
			"Committed_AS:    1048576 kB"),
		"proc/sys/vm/overcommit_memory": file("0"),
		"proc/self/limits": file(
			"Limit                     Soft Limit           Hard Limit           Units     ",
			"Max data size             unlimited            unlimited            bytes     ",
			"Max address space         unlimited            unlimited            bytes     "),
		"proc/self/status":    file("Name:\tx", "VmSize:\t  1048576 kB", "VmData:\t   524288 kB"),
		"proc/self/cgroup":    file("0::/user.slice/job 1"),
		"proc/self/mountinfo": file(`31 23 0:28 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate`),
	}
}

// v2 adds a cgroup of version 2 to the file system.
func v2(f fstest.MapFS, dir, limit, current, inactive string) {
	f[dir+"/memory.max"] = file(limit)
	f[dir+"/memory.current"] = file(current)
	f[dir+"/memory.stat"] = file("anon 4096", "file 8192", "inactive_file "+inactive, "active_file 7")
}

func TestAvailable(t *testing.T) {
	const group = "sys/fs/cgroup/user.slice/job 1"
	for _, c := range []struct {
		name   string
		change func(f fstest.MapFS)
		bytes  uint64
		source string
	}{
		{"machine", func(f fstest.MapFS) {}, 8 * gib, "available memory of the machine"},
		{"no cgroups", func(f fstest.MapFS) { delete(f, "proc/self/cgroup"); delete(f, "proc/self/mountinfo") },
			8 * gib, "available memory of the machine"},
		{"strict commit", func(f fstest.MapFS) { f["proc/sys/vm/overcommit_memory"] = file("2") },
			5 * gib, "commit limit of the machine (vm.overcommit_memory=2)"},
		{"group says max", func(f fstest.MapFS) { v2(f, group, "max", "1", "0") },
			8 * gib, "available memory of the machine"},
		{"group", func(f fstest.MapFS) { v2(f, group, "4294967296", "2147483648", "1073741824") },
			3 * gib, "limit of cgroup /user.slice/job 1 (memory.max)"},
		{"parent group has the lowest limit", func(f fstest.MapFS) {
			v2(f, group, "4294967296", "0", "0")
			v2(f, "sys/fs/cgroup/user.slice", "3221225472", "1073741824", "0")
		}, 2 * gib, "limit of cgroup /user.slice (memory.max)"},
		{"mounted root group has the lowest limit", func(f fstest.MapFS) { v2(f, "sys/fs/cgroup", "1073741824", "1024", "0") },
			gib - 1024, "limit of cgroup / (memory.max)"},
		{"usage above the limit", func(f fstest.MapFS) { v2(f, group, "4096", "8192", "0") },
			0, "limit of cgroup /user.slice/job 1 (memory.max)"},
		{"only page cache", func(f fstest.MapFS) { v2(f, group, "4096", "1024", "2048") },
			4096, "limit of cgroup /user.slice/job 1 (memory.max)"},
		{"part of the host's tree mounted", func(f fstest.MapFS) {
			f["proc/self/cgroup"] = file("0::/docker/abc")
			f["proc/self/mountinfo"] = file(`31 23 0:28 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw`)
			v2(f, "sys/fs/cgroup", "4294967296", "0", "0")
		}, 4 * gib, "limit of cgroup / (memory.max)"},
		{"other part of the host's tree mounted", func(f fstest.MapFS) {
			f["proc/self/cgroup"] = file("0::/../elsewhere")
			f["proc/self/mountinfo"] = file(`31 23 0:28 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw`)
			v2(f, "sys/fs/cgroup", "4294967296", "0", "0")
		}, 4 * gib, "limit of cgroup / (memory.max)"},
		{"versions 1 and 2, blank in the mount point", func(f fstest.MapFS) {
			f["proc/self/cgroup"] = file("4:cpu,memory:/slurm/job", "3:cpuset:/x", "0::/")
			f["proc/self/mountinfo"] = file(
				`30 25 0:27 / /dev/shm rw - tmpfs tmpfs rw`,
				`35 31 0:31 / /c\040g/cpuset rw - cgroup cgroup rw,cpuset`,
				`35 31 0:32 / /c\040g/memory rw - cgroup cgroup rw,cpu,memory`,
				`41 31 0:38 / /c\040g/unified rw - cgroup2 cgroup2 rw`)
			dir := "c g/memory/slurm/job"
			f[dir+"/memory.limit_in_bytes"] = file("2147483648")
			f[dir+"/memory.usage_in_bytes"] = file("1073741824")
			f[dir+"/memory.stat"] = file("inactive_file 1", "total_inactive_file 4096")
			f["c g/memory/memory.limit_in_bytes"] = file("9223372036854771712")
			f["c g/memory/memory.usage_in_bytes"] = file("1073741824")
			f["c g/memory/memory.stat"] = file("total_inactive_file 0")
		}, gib + 4096, "limit of cgroup /slurm/job (memory.limit_in_bytes)"},
		{"address space", func(f fstest.MapFS) {
			f["proc/self/limits"] = file("Max data size unlimited unlimited bytes", "Max address space 3221225472 unlimited bytes")
		}, 2*gib - gib/4, "address space limit of the process (ulimit -v)"},
		{"address space below the reserve for threads", func(f fstest.MapFS) {
			f["proc/self/limits"] = file("Max data size unlimited unlimited bytes", "Max address space 1342177279 unlimited bytes")
		}, 0, "address space limit of the process (ulimit -v)"},
		{"data size", func(f fstest.MapFS) {
			f["proc/self/limits"] = file("Max data size 2147483648 unlimited bytes", "Max address space unlimited unlimited bytes")
		}, 3*gib/2 - gib/4, "data size limit of the process (ulimit -d)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := base()
			c.change(f)
			got, err := available(f, gib/4)
			if err != nil {
				t.Fatal(err)
			}
			if want := (Limit{c.bytes, c.source}); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestAvailableUnknown(t *testing.T) {
	for name, change := range map[string]func(f fstest.MapFS){
		"MemAvailable":       func(f fstest.MapFS) { f["proc/meminfo"] = file("MemTotal: 5 kB") },
		"proc/meminfo":       func(f fstest.MapFS) { delete(f, "proc/meminfo") },
		"proc/self/limits":   func(f fstest.MapFS) { f["proc/self/limits"] = file("nothing") },
		"Max address space":  func(f fstest.MapFS) { f["proc/self/limits"] = file("Max address space many many bytes") },
		"proc/self/cgroup":   func(f fstest.MapFS) { f["proc/self/cgroup"] = file("zero") },
		"memory.max":         func(f fstest.MapFS) { v2(f, "sys/fs/cgroup", "much", "1", "1") },
		"memory.current":     func(f fstest.MapFS) { v2(f, "sys/fs/cgroup", "1", "much", "1") },
		"inactive_file":      func(f fstest.MapFS) { v2(f, "sys/fs/cgroup", "1", "1", "much") },
		"proc/self/mountinf": func(f fstest.MapFS) { delete(f, "proc/self/mountinfo") },
	} {
		f := maps.Clone(base())
		change(f)
		if l, err := available(f, 0); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %+v, %v", name, l, err)
		}
	}
}

// TestAvailableHere checks that the amount is known and plausible on the machine
// that runs the test.
func TestAvailableHere(t *testing.T) {
	l, err := Available()
	if err != nil {
		t.Fatal(err)
	}
	if l.Bytes == 0 || l.Bytes > 1<<50 || l.Source == "" {
		t.Errorf("got %+v", l)
	}
	t.Logf("%s: %s", Size(l.Bytes), l.Source)
}
