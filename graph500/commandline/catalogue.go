package commandline

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

// DefaultStrategy is the name of the fastest strategy of every engine and kernel.
const DefaultStrategy = "default"

// Catalogue holds the strategies of the engines by name of the engine, for each kernel
// from the simplest to the fastest.
type Catalogue map[string][]engine.Strategy

// NewCatalogue returns the strategies of the engines of this program.
func NewCatalogue() Catalogue {
	return Catalogue{"cpu": cpu.Strategies(), "gpu": gpuStrategies()}
}

// Of lists the strategies of an engine for a kernel.
func (c Catalogue) Of(engineName string, k engine.Kernel) (list []engine.Strategy) {
	for _, s := range c[engineName] {
		if s.Kernel == k {
			list = append(list, s)
		}
	}
	return list
}

// Named returns those of the strategies of an engine for a kernel that have these
// names, in the engine's order.
func (c Catalogue) Named(engineName string, k engine.Kernel, names ...string) []engine.Strategy {
	return slices.DeleteFunc(c.Of(engineName, k), func(s engine.Strategy) bool { return !slices.Contains(names, s.Name) })
}

// names lists the names of the strategies of an engine for a kernel, or of all engines
// for "auto".
func (c Catalogue) names(engineName string, k engine.Kernel) (names []string) {
	engines := []string{engineName}
	if engineName == "auto" {
		engines = []string{"cpu", "gpu"}
	}
	for _, e := range engines {
		for _, s := range c.Of(e, k) {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// runsOverRanks reports whether an engine has a strategy of that name that runs over several
// ranks.
func (c Catalogue) runsOverRanks(k engine.Kernel, name string) bool {
	for e := range c {
		if slices.ContainsFunc(c.Named(e, k, name), func(s engine.Strategy) bool { return s.OverRanks }) {
			return true
		}
	}
	return false
}

// Check returns an error if the engine, or every engine for "auto", lacks the strategy
// for the kernel.
func (c Catalogue) Check(engineName string, k engine.Kernel, name string) error {
	own := c.names(engineName, k)
	if slices.Contains(own, name) {
		return nil
	}
	if engineName != "auto" {
		other := "cpu"
		if engineName == other {
			other = "gpu"
		}
		if slices.Contains(c.names(other, k), name) {
			return fmt.Errorf("%s of %s runs on the %s engine only (-engine=%s), the %s engine has %s",
				name, k, other, other, engineName, orNone(own))
		}
	}
	if slices.Contains(gpu.StrategyNames(k), name) {
		return fmt.Errorf("%s needs the GPU engine, which this program was built without (docs/running.md, Build)", name)
	}
	for _, another := range engine.Kernels() {
		if another != k && len(own) > 0 && slices.Contains(append(c.names("auto", another), gpu.StrategyNames(another)...), name) {
			return fmt.Errorf("%s is a strategy of %s, not of %s, which has %s", name, another, k, orNone(own))
		}
	}
	which := fmt.Sprintf("the %s engine has no strategy", engineName)
	if engineName == "auto" {
		which = "there is no"
	}
	return fmt.Errorf("%s %q for %s%s; all are %s", which, name, k, Suggestion(name, "", own), orNone(own))
}

// orNone joins names with commas.
func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Text returns the text of -strategy=help for a scale and an edge factor.
func (c Catalogue) Text(scale, edgeFactor int) string {
	spec := kronecker.Spec{Scale: scale, EdgeFactor: edgeFactor}
	var text strings.Builder
	fmt.Fprintf(&text, "name, form of the graph, memory beyond graph and results at scale %d, what it does\n", scale)
	for _, e := range []string{"cpu", "gpu"} {
		if len(c[e]) == 0 {
			fmt.Fprintf(&text, "%s engine:\n  none: this program was built without CUDA support\n", e)
		}
		for _, k := range engine.Kernels() {
			list := c.Of(e, k)
			if len(list) > 0 {
				fmt.Fprintf(&text, "%s engine, %s:\n", e, k)
			}
			for _, s := range list {
				delta := ""
				if s.UsesDelta {
					delta = "; uses -delta"
				}
				fmt.Fprintf(&text, "  %-15s %-8s %10s  %s (%s)%s\n", s.Name, s.Structure,
					memory.Size(StrategyBytes(s, spec.Vertices(), spec.Tuples())), s.Doc, s.Source, delta)
			}
		}
	}
	return text.String()
}

// StrategyBytes returns the memory that a search takes in addition to graph and
// results.
func StrategyBytes(s engine.Strategy, vertices, tuples uint64) (bytes uint64) {
	for _, a := range s.Memory(vertices, tuples) {
		bytes += a.Bytes
	}
	return bytes
}
