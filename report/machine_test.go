package report

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestProgramAndMachine(t *testing.T) {
	p, m := ThisProgram("abc"), ThisMachine()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if p.Commit != "abc" || p.GoVersion != runtime.Version() || m.Host != host || m.Cores != runtime.NumCPU() {
		t.Errorf("%+v, %+v", p, m)
	}
	if m.Processor == "" || m.Memory < 64<<20 {
		t.Errorf("processor %q, memory %d", m.Processor, m.Memory)
	}
	if !strings.HasPrefix(m.OS, runtime.GOOS+"/"+runtime.GOARCH+" ") {
		t.Errorf("system %q", m.OS)
	}
}

func TestRevision(t *testing.T) {
	setting := func(k, v string) debug.BuildSetting { return debug.BuildSetting{Key: k, Value: v} }
	for _, c := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, ""},
		{[]debug.BuildSetting{setting("vcs", "git"), setting("vcs.revision", "12ab"), setting("vcs.modified", "false")}, "12ab"},
		{[]debug.BuildSetting{setting("vcs.modified", "true"), setting("vcs.revision", "12ab")}, "12ab-dirty"},
		{[]debug.BuildSetting{setting("vcs.modified", "true")}, ""},
	} {
		if got := revision(c.settings); got != c.want {
			t.Errorf("%v: got %q, want %q", c.settings, got, c.want)
		}
	}
}
