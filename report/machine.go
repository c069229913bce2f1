package report

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/mem"
)

// Machine fills in what r says about the program and the machine. commit is
// the revision that a build script knew, empty to take the one that the Go
// tool recorded. What the system does not tell stays empty.
func Machine(r *Run, commit string) {
	r.GoVersion = runtime.Version()
	r.Commit = commit
	if info, ok := debug.ReadBuildInfo(); ok {
		r.Version = info.Main.Version
		if commit == "" {
			r.Commit = revision(info.Settings)
		}
	}
	r.Host, _ = os.Hostname()
	r.Cores = runtime.NumCPU()
	r.Processor = runtime.GOARCH
	if c, err := cpu.Info(); err == nil && len(c) > 0 && c[0].ModelName != "" {
		r.Processor = strings.Join(strings.Fields(c[0].ModelName), " ")
	}
	if m, err := mem.VirtualMemory(); err == nil {
		r.MemoryBytes = m.Total
	}
	r.OS = runtime.GOOS + "/" + runtime.GOARCH
	if kernel, err := host.KernelVersion(); err == nil {
		r.OS += " " + kernel
	}
}

// revision returns the commit that the Go tool recorded in the executable,
// marked where the files differed from it.
func revision(settings []debug.BuildSetting) string {
	var commit, mark string
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				mark = "-dirty"
			}
		}
	}
	if commit == "" {
		return ""
	}
	return commit + mark
}
