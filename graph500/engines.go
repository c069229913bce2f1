package main

import (
	"fmt"
	"strings"

	"graph500/cpu"
)

// engineNames lists the values of -engine.
func engineNames() []string { return []string{"auto", "cpu"} }

// newEngine starts the engine that the flags ask for.
func newEngine(o *options) (Engine, error) {
	// Not returned in one step: a nil *cpu.Engine is not a nil Engine.
	e, err := cpu.New(o.Threads, o.Strategy)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// strategyNames lists the values of -strategy.
func strategyNames() []string {
	var names []string
	for _, s := range cpu.Strategies() {
		names = append(names, s.Name)
	}
	return names
}

// strategyList is what -strategy=help prints.
func strategyList() string {
	var text strings.Builder
	for _, s := range cpu.Strategies() {
		fmt.Fprintf(&text, "%-15s %s\n", s.Name, s.Doc)
	}
	return text.String()
}
