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

// ThisProgram describes the running program. commit is the revision given by a build
// script; if empty, the revision recorded by the Go tool is used. Unknown values are
// empty.
func ThisProgram(commit string) Program {
	p := Program{Commit: commit, GoVersion: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		p.Version = info.Main.Version
		if commit == "" {
			p.Commit = revision(info.Settings)
		}
	}
	return p
}

// ThisMachine describes the machine. Unknown values are empty.
func ThisMachine() Machine {
	m := Machine{Processor: runtime.GOARCH, Cores: runtime.NumCPU(), OS: runtime.GOOS + "/" + runtime.GOARCH}
	m.Host, _ = os.Hostname()
	if c, err := cpu.Info(); err == nil && len(c) > 0 && c[0].ModelName != "" {
		m.Processor = strings.Join(strings.Fields(c[0].ModelName), " ")
	}
	if memory, err := mem.VirtualMemory(); err == nil {
		m.Memory = memory.Total
	}
	if kernel, err := host.KernelVersion(); err == nil {
		m.OS += " " + kernel
	}
	return m
}

// revision returns the commit that the Go tool recorded in the executable, with -dirty
// if files were modified.
func revision(settings []debug.BuildSetting) string {
	var commit, suffix string
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				suffix = "-dirty"
			}
		}
	}
	if commit == "" {
		return ""
	}
	return commit + suffix
}
