//go:build cuda

package gpu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"graph500/conformance"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/hubs"
)

// on returns the form of strategies on GPUs that work together in an arrangement, with neighbours
// where residency says: of those with a prefix, as few as possible are in the GPUs' memory. An eighth of
// the tuples is on a GPU at a time.
func (a arrangement) on(residency engine.Residency, strategies ...engine.Strategy) conformance.Form {
	split := residency == engine.Prefix
	f := conformance.Form{Strategies: strategies, Wide: a.wide, LoadedWide: a.wide && (a.each > 1 || split), Levels: !split}
	f.Searched = func(s engine.Searcher) error { return compareWide(s.(*Searcher)) }
	f.Open = func(t *testing.T, job engine.Job) (list []conformance.Engine) {
		o := Options{part: max(2, job.Tuples/8), Residency: residency}
		if split {
			p := planner{part: o.part, devices: a.each, l2: defaultL2, alone: true, residency: engine.Prefix, hubsFrom: 1, hubForm: fewHubs}
			o.MaxBytes = engine.Peak(p.required(job, p.leastSplit(job)), engine.DeviceMemory)
		}
		for _, e := range startTeam(t, a, o).engines {
			e.planner.hubForm = fewHubs
			list = append(list, e)
		}
		return list
	}
	return f
}

// fewHubs is a form of graphs for the search by depths of hubs in which most rows have no hub.
var fewHubs = hubs.Form{Hubs: 8, Labels: 64}

// onHubs returns a form whose default search of BFS is by the depths of fewHubs. Its profile lists steps.
func onHubs(f conformance.Form) conformance.Form {
	open := f.Open
	f.Levels, f.Open = false, func(t *testing.T, job engine.Job) []conformance.Engine {
		list := open(t, job)
		for _, e := range list {
			e.(*Engine).planner.hubsFrom = 1
		}
		return list
	}
	return f
}

// defaults are the default strategies of both kernels.
func defaults() []engine.Strategy { return bothKernels() }

// inTurn returns the graphs, of which a short test takes one in some, from number turn on.
func inTurn(graphs []conformance.Graph, turn, some int) (list []conformance.Graph) {
	some = devicetest.Sized(1, some)
	for i, g := range graphs {
		if (i+turn)%some == 0 {
			list = append(list, g)
		}
	}
	return list
}

// Every strategy conforms on one GPU; the default one of BFS by depths of hubs, and with its
// neighbours in host memory, too.
func TestStrategiesConform(t *testing.T) {
	one := arrangement{ranks: 1, each: 1, exchange: engine.PeerExchange}
	graphs := append(conformance.Graphs(0), conformance.Random(8, 0)...)
	for i, s := range Strategies() {
		t.Run(fmt.Sprintf("%s %s", s.Kernel, s.Name), func(t *testing.T) {
			f := one.on(engine.AutoResidency, s)
			f.Levels = false
			f.Check(t, inTurn(graphs, i, 10)...)
		})
	}
	for turn, wide := range []bool{false, true} {
		one.wide = wide
		t.Run(fmt.Sprintf("defaults, 48 bits: %v", wide), func(t *testing.T) { one.on(engine.AutoResidency, defaults()...).Check(t, inTurn(graphs, 2*turn, 8)...) })
		t.Run(fmt.Sprintf("split rows, 48 bits: %v", wide), func(t *testing.T) { one.on(engine.Prefix, defaults()...).Check(t, inTurn(graphs, 2*turn+1, 8)...) })
		t.Run(fmt.Sprintf("by hubs, 48 bits: %v", wide), func(t *testing.T) {
			f := onHubs(one.on(engine.AutoResidency, defaults()...))
			f.LoadedWide = wide
			f.Check(t, inTurn(graphs, 2*turn+1, 8)...)
		})
		for i, residency := range hostResidencies() {
			t.Run(fmt.Sprintf("%s, 48 bits: %v", residency, wide), func(t *testing.T) {
				one.on(residency, defaults()[0]).Check(t, inTurn(graphs, 5*turn+i, 10)...)
			})
		}
	}
}

// Several GPUs conform in every arrangement; those that access each other's memory by the depths of
// hubs and with split rows, too.
func TestTeamsConform(t *testing.T) {
	for i, a := range arrangements() {
		if testing.Short() && (i+i/2)%2 > 0 { // labels of 32 and 48 bits in turn
			continue
		}
		graphs := slices.DeleteFunc(conformance.Graphs(leastLabels*a.ranks*a.each), func(g conformance.Graph) bool {
			// Each level waits for all GPUs.
			return testing.Short() && (strings.HasSuffix(g.Name, "path") || g.Name == "lollipop" || g.Name == "grid")
		})
		t.Run(a.String(), func(t *testing.T) {
			a.on(engine.AutoResidency, defaults()...).Check(t, inTurn(graphs, i, len(graphs))...)
		})
		if !a.distributed() {
			t.Run(a.String()+", by hubs", func(t *testing.T) {
				onHubs(a.on(engine.AutoResidency, defaults()...)).Check(t, inTurn(graphs, 2*i, len(graphs))...)
			})
		}
		if !a.distributed() && a.ranks == 1 {
			t.Run(a.String()+", split rows", func(t *testing.T) { a.on(engine.Prefix, defaults()...).Check(t, inTurn(graphs, 5*i, len(graphs))...) })
		}
	}
}
