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

// defaultStrategy is the name of the fastest strategy of every engine.
const defaultStrategy = "default"

// engineNames lists the values of -engine.
func engineNames() []string { return []string{"auto", "cpu", "gpu"} }

// strategies lists the strategies of an engine, from the simplest to the fastest.
func strategies(engineName string) []engine.Strategy {
	if engineName == "gpu" {
		return gpuStrategies()
	}
	return cpu.Strategies()
}

// strategyNames lists the names of the strategies of an engine, or of all engines
// for "auto".
func strategyNames(engineName string) (names []string) {
	engines := []string{engineName}
	if engineName == "auto" {
		engines = []string{"cpu", "gpu"}
	}
	for _, e := range engines {
		for _, s := range strategies(e) {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// named returns the strategies of an engine with these names, in the engine's
// order.
func named(engineName string, names ...string) (list []engine.Strategy) {
	for _, s := range strategies(engineName) {
		if slices.Contains(names, s.Name) {
			list = append(list, s)
		}
	}
	return list
}

// strategyList returns the text of -strategy=help.
func strategyList(o *options) string {
	spec := kronecker.Spec{Scale: o.Scale, EdgeFactor: o.EdgeFactor}
	var text strings.Builder
	fmt.Fprintf(&text, "name, form of the graph, memory beyond graph and parents at scale %d, what it does\n", o.Scale)
	for _, e := range []string{"cpu", "gpu"} {
		fmt.Fprintf(&text, "%s engine:\n", e)
		list := strategies(e)
		for _, s := range list {
			fmt.Fprintf(&text, "  %-15s %-8s %10s  %s (%s)\n", s.Name, s.Structure,
				memory.Size(strategyBytes(s, spec.Vertices(), spec.Tuples())), s.Doc, s.Source)
		}
		if len(list) == 0 {
			text.WriteString("  none: this program was built without CUDA support\n")
		}
	}
	return text.String()
}

// strategyBytes returns the memory that a search takes in addition to graph and
// results.
func strategyBytes(s engine.Strategy, vertices, tuples uint64) (bytes uint64) {
	for _, a := range s.Memory(vertices, tuples) {
		bytes += a.Bytes
	}
	return bytes
}

// newEngine starts the engine that the flags select. If auto selects the CPU, it
// prints the reason to the console.
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
		case o.requiresGPU:
			return nil, fmt.Errorf("flag -device=%d: %w", o.Device, err)
		case o.GPUMemory != 0:
			return nil, fmt.Errorf("flag -gpu-memory=%s: %w", o.GPUMemory, err)
		default:
			name, why = "cpu", fmt.Sprintf(": %v", err)
			if c.phases || c.progress {
				c.printf("the cpu engine searches: %v", err)
			}
		}
	}
	if err := checkStrategy(name, o.Strategy); err != nil {
		return nil, usagef("flag -strategy: %s%s", err, why)
	}
	if name == "gpu" {
		return newGPU(o)
	}
	return cpu.New(o.Threads), nil
}

// newReference starts the reference engine of -check-engine, or returns nil without
// that flag.
func newReference(o *options) *reference {
	if !o.CheckEngine {
		return nil
	}
	return &reference{engine: cpu.New(o.Threads), strategy: named("cpu", defaultStrategy)[0]}
}

// checkStrategy returns an error if the engine does not have the strategy.
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
	if slices.Contains(gpu.StrategyNames(), strategy) {
		return noGPUEngine(strategy)
	}
	return fmt.Errorf("the %s engine has no strategy %q%s; all are %s",
		engineName, strategy, suggestion(strategy, "", own), strings.Join(own, ", "))
}

// noGPUEngine returns the error for a strategy of the GPU engine in a program built
// without that engine.
func noGPUEngine(strategy string) error {
	return fmt.Errorf("%s needs the GPU engine, which this program was built without (README.md, Set-up)", strategy)
}
