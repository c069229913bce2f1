package processors

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

// someProcesses is a machine on which user 7 has 30 threads, of 1000 of all users.
func someProcesses() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	status := func(user, threads int) *fstest.MapFile {
		return file(fmt.Sprintf("Name:\tx\nUid:\t%d\t0\t0\t0\nThreads:\t%d\nCapEff:\t0000000000000000\n", user, threads))
	}
	return fstest.MapFS{
		"proc/self/limits":  file("Limit Soft Limit Hard Limit Units\nMax processes             1024            4096         processes\n"),
		"proc/self/status":  status(7, 10),
		"proc/12/status":    status(7, 10),
		"proc/13/status":    status(8, 500),
		"proc/99/status":    status(7, 20),
		"proc/99/task/x":    file(""),
		"proc/loadavg":      file("0.20 0.18 0.12 1/1000 11206\n"),
		"proc/self/cgroup":  file("0::/job\n"),
		"sys/fs/cgroup/job": &fstest.MapFile{Mode: 0o755 | 1<<31},
		"proc/self/mountinfo": file(
			"31 23 0:28 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"),
	}
}

func TestThreadsThatMayBeStarted(t *testing.T) {
	more := runtime.GOMAXPROCS(0) + runtimeThreads
	set := func(name, text string) func(fstest.MapFS) {
		return func(f fstest.MapFS) { f[name] = &fstest.MapFile{Data: []byte(text)} }
	}
	limit := func(n int) func(fstest.MapFS) {
		return set("proc/self/limits", fmt.Sprintf("Max processes             %d            4096         processes\n", n))
	}
	group := func(most, there string) func(fstest.MapFS) {
		return func(f fstest.MapFS) {
			set("sys/fs/cgroup/job/pids.max", most)(f)
			set("sys/fs/cgroup/job/pids.current", there)(f)
		}
	}
	user := fmt.Sprintf("ulimit -u is %d, and this user has 30): the program needs %d", 30+more-1, more)
	for _, c := range []struct {
		name   string
		change []func(fstest.MapFS)
		want   string
	}{
		{"enough", []func(fstest.MapFS){limit(30 + more)}, ""},
		{"one too few", []func(fstest.MapFS){limit(30 + more - 1)}, user},
		{"none", []func(fstest.MapFS){limit(3)}, "may start 0 more threads (ulimit -u is 3,"},
		{"number of all threads unknown", []func(fstest.MapFS){limit(30 + more - 1), set("proc/loadavg", "")}, user},
		{"unlimited", []func(fstest.MapFS){set("proc/self/limits", "Max processes unlimited unlimited processes\n")}, ""},
		{"root", []func(fstest.MapFS){limit(3), set("proc/self/status", "Uid: 0 0 0 0\nCapEff: 0\n")}, ""},
		{"capable", []func(fstest.MapFS){limit(3), set("proc/self/status", "Uid: 7 7 7 7\nCapEff: 0000000001000000\n")}, ""},
		{"a process that cannot be read", []func(fstest.MapFS){limit(30 + more), set("proc/12/status", "Uid: x")}, ""},
		{"group", []func(fstest.MapFS){group("100\n", fmt.Sprint(100-more+1))}, "pids.max of cgroup /job is 100, and "},
		{"group with capacity", []func(fstest.MapFS){group("100\n", fmt.Sprint(100-more))}, ""},
		{"group without a limit", []func(fstest.MapFS){group("max\n", "5000")}, ""},
		{"nothing known", []func(fstest.MapFS){func(f fstest.MapFS) { clear(f) }}, ""},
	} {
		f := someProcesses()
		for _, change := range c.change {
			change(f)
		}
		err := CheckThreads(f)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
