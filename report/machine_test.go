package report

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestMachine(t *testing.T) {
	r := &Run{Scale: 20, Strategy: "push"}
	Machine(r, "abc")
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if r.Commit != "abc" || r.GoVersion != runtime.Version() || r.Host != host || r.Cores != runtime.NumCPU() {
		t.Errorf("%+v", r)
	}
	if r.Processor == "" || r.MemoryBytes < 64<<20 {
		t.Errorf("processor %q, memory %d", r.Processor, r.MemoryBytes)
	}
	if !strings.HasPrefix(r.OS, runtime.GOOS+"/"+runtime.GOARCH+" ") {
		t.Errorf("system %q", r.OS)
	}
	if r.Scale != 20 || r.Strategy != "push" {
		t.Error("other fields were touched")
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
