//go:build cuda

package gpu

import (
	"embed"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/conformance"
	"graph500/device"
	"graph500/engine"
)

// inChild is set in the child process in which TestFaultNamesThePhase loses the
// device.
const inChild = "GRAPH500_TEST_FAULT"

// The error of a fault names its phase once, even if later calls fail too.
func TestFaultNamesThePhase(t *testing.T) {
	if err := Available(); err != nil {
		t.Skip(err)
	}
	if os.Getenv(inChild) == "" {
		if testing.Short() {
			t.Skip("out-of-bounds access on purpose") // -test.short is for the sanitizers
		}
		child := exec.Command(os.Args[0], "-test.run=^TestFaultNamesThePhase$")
		child.Env = append(os.Environ(), inChild+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	e, err := New(t.Context(), cluster.Alone(), []int{0}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Prepare(t.Context(), []engine.Plan{e.Plan(engine.Job{Vertices: 2, Tuples: 1, Loaded: true, Strategies: []engine.Strategy{named("default")}})}, nil); err != nil {
		t.Fatal(err)
	}
	g := conformance.Graph{Vertices: 2, Tuples: engine.Tuples{Edges: []engine.Edge{{U: 0, V: 1}}}}
	if err := conformance.Provide(t.Context(), e, g, one.job(g, 1, named(defaultStrategy)), 1, 0); err != nil {
		t.Fatal(err)
	}
	m, err := e.members[0].device.Load("stream", embed.FS{}, "bandwidth") // already loaded by Prepare
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("copy")
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Launch(1, 1, 0, 0, 0, 1); err != nil {
		t.Fatal(err)
	}
	_, err = e.Construct(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "construction on GPU 0: ") || !strings.HasSuffix(err.Error(), "the device's memory is lost") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
	if err := e.Close(); err != nil && strings.Contains(err.Error(), "\n") { // a driver may or may not fail again
		t.Error(err)
	}
}

// What ended a phase is reported, not what failed when it was cleaned up.
func TestFaultIsTheFirstError(t *testing.T) {
	e := &Engine{}
	stopped, fault := errors.New("stopped"), error(&device.Error{})
	if err := e.inPhase("search", func() error { return errors.Join(errors.Join(stopped, fault), fault) }); err != stopped {
		t.Error(err)
	}
	if err := e.inPhase("search", func() error { return errors.Join(nil, fault, stopped) }); !errors.Is(err, fault) || errors.Is(err, stopped) {
		t.Error(err)
	}
}
