package processors

import (
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func file(lines ...string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(strings.Join(lines, "\n") + "\n")}
}

func group() *fstest.MapFile { return &fstest.MapFile{Mode: fs.ModeDir | 0o755} }

// base is a machine with four processors. This process may use three of them.
func base() fstest.MapFS {
	return fstest.MapFS{
		"proc/self/status":      file("Name:\tx", "Cpus_allowed:\t0d", "Cpus_allowed_list:\t0,2-3", "Mems_allowed:\t1"),
		"proc/self/cgroup":      file("0::/slice/job"),
		"proc/self/mountinfo":   file(`31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw`),
		"sys/fs/cgroup/slice":   group(),
		"proc/self/task/5/stat": file(""),
		"proc/stat": file(
			"cpu  100 0 50 1000 0 0 0 0 0 0",
			"cpu0 10 1 20 300 7 2 3 4 50 60",
			"cpu1 900 0 0 0 0 0 0 900 0 0",
			"cpu2 10 0 0 0 0 0 0 1 0 0",
			"cpu3 10 0 0 0 0 0 0 0 0 0",
			"intr 5 6 7 8 9 10 11 12"),
		"proc/self/task/5/schedstat": file("1000000 2000000 7"),
		"proc/self/task/6/schedstat": file("500 700 7"),
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(f fstest.MapFS)
		quota  float64
		source string
	}{
		{"no quota", func(fstest.MapFS) {}, 0, ""},
		{"group says max", func(f fstest.MapFS) { f["sys/fs/cgroup/slice/job/cpu.max"] = file("max 100000") }, 0, ""},
		{"group", func(f fstest.MapFS) { f["sys/fs/cgroup/slice/job/cpu.max"] = file("150000 100000") }, 1.5, "cpu.max of cgroup /slice/job"},
		{"group above grants less", func(f fstest.MapFS) {
			f["sys/fs/cgroup/slice/job/cpu.max"] = file("150000 100000")
			f["sys/fs/cgroup/slice/cpu.max"] = file("50000 100000")
		}, 0.5, "cpu.max of cgroup /slice"},
		{"version 1", func(f fstest.MapFS) {
			f["proc/self/cgroup"] = file("4:cpu,cpuacct:/job")
			f["proc/self/mountinfo"] = file(`35 31 0:32 / /c/cpu rw - cgroup cgroup rw,cpu,cpuacct`)
			f["c/cpu/job/cpu.cfs_quota_us"] = file("200000")
			f["c/cpu/job/cpu.cfs_period_us"] = file("100000")
			f["c/cpu/cpu.cfs_quota_us"] = file("-1")
			f["c/cpu/cpu.cfs_period_us"] = file("100000")
		}, 2, "cpu.cfs_quota_us of cgroup /job"},
		{"no groups", func(f fstest.MapFS) { delete(f, "proc/self/cgroup") }, 0, ""},
	} {
		f := base()
		c.change(f)
		a, err := Find(f)
		if err != nil || !slices.Equal(a.Numbers, []int{0, 2, 3}) || a.Quota != c.quota || a.Source != c.source {
			t.Errorf("%s: %+v, %v", c.name, a, err)
		}
	}
	for name, change := range map[string]func(f fstest.MapFS){
		"no status":       func(f fstest.MapFS) { delete(f, "proc/self/status") },
		"no list":         func(f fstest.MapFS) { f["proc/self/status"] = file("Name:\tx") },
		"strange list":    func(f fstest.MapFS) { f["proc/self/status"] = file("", "Cpus_allowed_list:\t0-x") },
		"empty range":     func(f fstest.MapFS) { f["proc/self/status"] = file("", "Cpus_allowed_list:\t3-1") },
		"strange quota":   func(f fstest.MapFS) { f["sys/fs/cgroup/slice/cpu.max"] = file("much 100000") },
		"quota of part":   func(f fstest.MapFS) { f["sys/fs/cgroup/slice/cpu.max"] = file("5") },
		"no period":       func(f fstest.MapFS) { f["sys/fs/cgroup/slice/cpu.max"] = file("5 0") },
		"strange groups":  func(f fstest.MapFS) { f["proc/self/cgroup"] = file("zero") },
		"no mount points": func(f fstest.MapFS) { delete(f, "proc/self/mountinfo") },
	} {
		f := base()
		change(f)
		if a, err := Find(f); err == nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestUsage(t *testing.T) {
	f := base()
	take := func() Sample {
		t.Helper()
		s, err := Take(f, []int{0, 2, 3})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := take()
	if first.busy != (36+10+10)*tick || first.stolen != 5*tick {
		t.Errorf("%+v", first)
	}
	// In two seconds: 3 s of work, of which 0.5 s in an existing thread and 0.5 s
	// in a new thread, which also waited; 0.2 s stolen.
	f["proc/stat"] = file("cpu0 110 1 20 300 7 2 3 14 0 0", "cpu2 210 0 0 0 0 0 0 11 0 0", "cpu3 10 0 0 0 0 0 0 0 0 0")
	f["proc/self/task/5/schedstat"] = file("501000000 3000000 7")
	f["proc/self/task/7/schedstat"] = file("500000000 250000000 7")
	delete(f, "proc/self/task/6/schedstat")
	last := take()
	last.at = first.at.Add(2 * time.Second)
	if got, want := Between(first, last), (Usage{Wall: 2 * time.Second, Own: 0.5, Others: 1, Stolen: 0.1, Waited: 251 * time.Millisecond}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := Between(first, first); got.Others != 0 || got.Wall != 0 {
		t.Errorf("empty interval: %+v", got)
	}
	for name, change := range map[string]func(f fstest.MapFS){
		"no stat":               func(f fstest.MapFS) { delete(f, "proc/stat") },
		"strange stat":          func(f fstest.MapFS) { f["proc/stat"] = file("cpu0 x 1 20 300 7 2 3 14 0 0") },
		"a processor is hidden": func(f fstest.MapFS) { f["proc/stat"] = file("cpu0 1 1 20 300 7 2 3 14 0 0") },
		"no threads":            func(f fstest.MapFS) { delete(f, "proc/self/task/5/schedstat"); delete(f, "proc/self/task/6/schedstat") },
		"scheduler without statistics": func(f fstest.MapFS) {
			f["proc/self/task/5/schedstat"] = file("0 0 0")
			f["proc/self/task/6/schedstat"] = file("0 0 0")
		},
		"strange threads": func(f fstest.MapFS) { f["proc/self/task/5/schedstat"] = file("x") },
	} {
		f := base()
		change(f)
		if s, err := Take(f, []int{0, 2, 3}); err == nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestHere checks that busy work of this process is counted as its own.
func TestHere(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has the files in /proc")
	}
	root := os.DirFS("/")
	allowed, err := Find(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(allowed.Numbers) != runtime.NumCPU() {
		t.Errorf("%d processors, the Go runtime has %d", len(allowed.Numbers), runtime.NumCPU())
	}
	first, err := Take(root, allowed.Numbers)
	if err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); time.Since(start) < 100*time.Millisecond; {
	}
	last, err := Take(root, allowed.Numbers)
	if err != nil {
		t.Fatal(err)
	}
	u := Between(first, last)
	var ran time.Duration
	for id, t := range last.threads {
		ran += t.ran - first.threads[id].ran
	}
	if u.Wall < 100*time.Millisecond || ran <= 0 || u.Waited < 0 {
		t.Errorf("%+v, own work %v", u, ran)
	}
}
