package main

import (
	"fmt"
	"slices"
	"strings"

	"graph500/cpu"
	"graph500/engine"
	"graph500/gpu"
	"graph500/kronecker"
	"graph500/memory"
)

// strategy is a way to search that an engine offers.
type strategy struct {
	name, doc         string
	source, structure string

	// memory lists what a search takes beside graph and parents.
	memory func(vertices, tuples uint64) []engine.Allocation
}

// engineNames lists the values of -engine.
func engineNames() []string { return []string{"auto", "cpu", "gpu"} }

// strategies lists those of an engine, from the plainest to the fastest.
func strategies(engineName string) (list []strategy) {
	if engineName == "gpu" {
		return gpuStrategies()
	}
	for _, s := range cpu.Strategies() {
		list = append(list, strategy{s.Name, s.Doc, s.Source, s.Structure, s.Memory})
	}
	return list
}

// strategyNames lists the names of the strategies of an engine, or of all for
// "auto".
func strategyNames(engineName string) (names []string) {
	engines := []string{engineName}
	if engineName == "auto" {
		engines = []string{"cpu", "gpu"}
	}
	for _, e := range engines {
		for _, s := range strategies(e) {
			if !slices.Contains(names, s.name) {
				names = append(names, s.name)
			}
		}
	}
	return names
}

// strategyList is what -strategy=help prints.
func strategyList(o *options) string {
	spec := kronecker.Spec{Scale: o.Scale, EdgeFactor: o.EdgeFactor}
	var text strings.Builder
	fmt.Fprintf(&text, "name, form of the graph, memory beside graph and parents at scale %d, what it does\n", o.Scale)
	for _, e := range []string{"cpu", "gpu"} {
		fmt.Fprintf(&text, "%s engine:\n", e)
		list := strategies(e)
		for _, s := range list {
			var bytes uint64
			for _, a := range s.memory(spec.Vertices(), spec.Tuples()) {
				bytes += a.Bytes
			}
			fmt.Fprintf(&text, "  %-15s %-8s %10s  %s (%s)\n", s.name, s.structure, memory.Size(bytes), s.doc, s.source)
		}
		if len(list) == 0 {
			text.WriteString("  none: this program was built without CUDA support\n")
		}
	}
	return text.String()
}

// newEngine starts the engine that the flags ask for. The console is told why
// auto does not take a GPU.
func newEngine(o *options, c *console) (Engine, error) {
	name, why := o.Engine, ""
	if name != "cpu" {
		switch err := gpu.Available(); {
		case err == nil:
			name = "gpu"
		case name == "gpu":
			return nil, fmt.Errorf("flag -engine=gpu: %w", err)
		case o.CheckEngine:
			return nil, fmt.Errorf("flag -check-engine: there is no GPU engine to check: %w", err)
		case o.Device != 0:
			return nil, fmt.Errorf("flag -device=%d: %w", o.Device, err)
		default:
			name, why = "cpu", fmt.Sprintf(": %v", err)
			if c.phases || c.progress {
				c.say("the cpu engine searches: %v", err)
			}
		}
	}
	if err := checkStrategy(name, o.Strategy); err != nil {
		return nil, usagef("flag -strategy: %s%s", err, why)
	}
	if name == "gpu" {
		return newGPU(o)
	}
	return newCPU(o.Threads, o.Strategy)
}

// newCPU starts the CPU engine.
func newCPU(threads int, strategy string) (Engine, error) {
	// Not returned in one step: a nil *cpu.Engine is not a nil Engine.
	e, err := cpu.New(threads, strategy)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// newReference starts what -check-engine compares with, if that is asked for.
func newReference(o *options) (*reference, error) {
	if !o.CheckEngine {
		return nil, nil
	}
	e, err := newCPU(o.Threads, cpu.DefaultStrategy)
	if err != nil {
		return nil, err
	}
	return &reference{engine: e}, nil
}

// checkStrategy returns an error if the engine has no such strategy.
func checkStrategy(engineName, strategy string) error {
	own := strategyNames(engineName)
	if slices.Contains(own, strategy) {
		return nil
	}
	other := "cpu"
	if engineName == other {
		other = "gpu"
	}
	if slices.Contains(strategyNames(other), strategy) {
		return fmt.Errorf("%s runs on the %s engine only (-engine=%s), the %s engine has %s",
			strategy, other, other, engineName, strings.Join(own, ", "))
	}
	return fmt.Errorf("the %s engine has no strategy %q, the nearest is %s; all are %s",
		engineName, strategy, nearest(strategy, own), strings.Join(own, ", "))
}
