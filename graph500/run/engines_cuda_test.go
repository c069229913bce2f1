//go:build cuda

package run

import (
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/engine"
	"graph500/gpu"
	"graph500/graph500/commandline"
	"graph500/graph500/output"
)

func TestNoSuchDevice(t *testing.T) {
	if err := gpu.Available(); err != nil {
		t.Skip(err)
	}
	o := &commandline.Options{Catalogue: commandline.NewCatalogue(), RequiresGPU: true}
	o.Kernel, o.Engine, o.Device, o.Exchange = string(engine.BFS), "gpu", 1023, commandline.AutoExchange
	const want = "flag -device=1023: "
	if _, err := newEngine(t.Context(), cluster.Alone(), o, new(output.Console)); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
}
