package main

import (
	"fmt"
	"slices"
	"strings"

	"graph500/cpu"
	"graph500/gpu"
)

// strategy is a way to search that an engine offers.
type strategy struct{ name, doc string }

// engineNames lists the values of -engine.
func engineNames() []string { return []string{"auto", "cpu", "gpu"} }

// strategies lists those of an engine, from the plainest to the fastest.
func strategies(engineName string) (list []strategy) {
	if engineName == "gpu" {
		return gpuStrategies()
	}
	for _, s := range cpu.Strategies() {
		list = append(list, strategy{s.Name, s.Doc})
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
func strategyList() string {
	var text strings.Builder
	for _, e := range []string{"cpu", "gpu"} {
		fmt.Fprintf(&text, "%s engine:\n", e)
		list := strategies(e)
		for _, s := range list {
			fmt.Fprintf(&text, "  %-15s %s\n", s.name, s.doc)
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
	name := o.Engine
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
			name = "cpu"
			if c.phases || c.progress {
				c.say("the cpu engine searches: %v", err)
			}
		}
	}
	if err := checkStrategy(name, o.Strategy); err != nil {
		return nil, usagef("flag -strategy: %s", err)
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
	hint := ""
	if slices.Contains(strategyNames(other), strategy) {
		hint = fmt.Sprintf("; the %s engine has it (-engine=%s)", other, other)
	}
	return fmt.Errorf("the %s engine has no strategy %q, the nearest is %s; all are %s%s",
		engineName, strategy, nearest(strategy, own), strings.Join(own, ", "), hint)
}
