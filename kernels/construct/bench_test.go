//go:build cuda

package construct

import (
	"flag"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	plain "graph500/kernels/hubs/reference"
)

var benchScale = flag.Int("scale", 16, "scale of the graph of benchmarks")

// BenchmarkBuild measures kernel 1 for BFS on an official graph.
func BenchmarkBuild(b *testing.B) {
	for name, f := range map[string]Form{"degree": {Order: ByDegree, Hubs: plain.MostHubs}, "hubs": {Order: ByHubs, Hubs: plain.MostHubs, Chunk: 2048}} {
		b.Run(name, func(b *testing.B) { benchmarkBuild(b, f) })
	}
}

func benchmarkBuild(b *testing.B, f Form) {
	d := devicetest.Open(b)
	team := devicetest.Team(b, []*device.Device{d})
	f.Devices, f.Groups = 1, LeastGroups
	spec := devicetest.Official(*benchScale)
	tuples := generatetest.Generate(b, d, spec, generate.Config{Count: spec.Tuples()})
	defer devicetest.Close(b, tuples)
	if err := Load(d, f); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		graphs, err := Build(b.Context(), team, Input{Vertices: spec.Vertices(), Tuples: []*generate.Tuples{tuples}}, f)
		if err != nil {
			b.Fatal(err)
		}
		devicetest.Close(b, graphs[0])
	}
}
