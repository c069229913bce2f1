// Package rules holds the rules of the Graph500 list that can be checked on the record
// of a run. It knows only that record: neither the engines and flags that made it, nor
// what is done with a run that breaks a rule.
//
// Source: the specification, version 2.0 of 20 June 2017 (graph500.org/?page_id=12).
package rules

import (
	"fmt"

	"graph500/engine"
	"graph500/report"
)

const (
	EdgeFactor = 16 // input tuples for each vertex
	Searches   = 64 // of each kernel
	LabelBits  = 48 // least width of a vertex number in the tuples
)

// Rule is a rule of the list.
type Rule int

const (
	Graph Rule = iota
	Density
	Keys
	Count
	Validation
	Labels
	Other
)

// String says what the rule asks for.
func (r Rule) String() string {
	switch r {
	case Graph:
		return "the edges of the official generator"
	case Density:
		return fmt.Sprintf("edgefactor %d", EdgeFactor)
	case Keys:
		return "distinct search keys, sampled by the program"
	case Count:
		return fmt.Sprintf("%d searches of each kernel", Searches)
	case Validation:
		return "every search validated"
	case Labels:
		return fmt.Sprintf("vertex numbers of at least %d bits", LabelBits)
	}
	return "nothing else that the run says against itself"
}

// All lists the rules.
func All() []Rule { return []Rule{Graph, Density, Keys, Count, Validation, Labels, Other} }

// Violation is a broken rule.
type Violation struct {
	Rule   Rule
	Reason string // how the run breaks it
}

// What an edge file holds that the generator does not make, see Foreign.
const (
	ForeignEdges   = "edges"
	ForeignWeights = "weights"
)

// Foreign is the violation of a run on an edge file that holds other edges or weights than
// the generator makes. The data of the run do not show it.
func Foreign(what string) Violation {
	return Violation{Graph, fmt.Sprintf("the edge file holds other %s than the generator makes", what)}
}

// GivenKeys is the violation of a run whose user gave the search keys. The data of the run do
// not show it.
func GivenKeys() Violation { return Violation{Keys, "the search keys were given by hand"} }

// Broken lists the rules that a run breaks: those that its data show, then those of
// its own list of reasons (report.Run.NotConforming) that the data do not show.
func Broken(r *report.Run) (list []Violation) {
	said := make(map[string]bool) // reasons that the data show
	for _, f := range shown(r) {
		list = append(list, f.Violation)
		said[f.Reason], said[f.former] = true, true
	}
	rules := make(map[string]Rule) // of reasons that the data do not show
	for _, v := range []Violation{Foreign(ForeignEdges), Foreign(ForeignWeights), GivenKeys()} {
		rules[v.Reason] = v.Rule
	}
	for _, reason := range r.NotConforming {
		if said[reason] {
			continue
		}
		rule, known := rules[reason]
		if !known {
			rule = Other
		}
		list = append(list, Violation{rule, reason})
	}
	return list
}

// Reasons lists the reasons why a run does not conform to the rules: those that its
// data show, and those that only the program knew.
func Reasons(r *report.Run, known ...Violation) (reasons []string) {
	for _, f := range shown(r) {
		reasons = append(reasons, f.Reason)
	}
	for _, v := range known {
		reasons = append(reasons, v.Reason)
	}
	return reasons
}

// finding is a violation that the data of a run show. former is the reason in the words of
// earlier programs, if they had others.
type finding struct {
	Violation
	former string
}

// shown lists the rules that a run breaks by its data.
func shown(r *report.Run) (list []finding) {
	add := func(rule Rule, format string, args ...any) {
		list = append(list, finding{Violation: Violation{rule, fmt.Sprintf(format, args...)}})
	}
	switch n := r.Engine.LabelBits; {
	case n == 0:
		add(Labels, "labels of unknown width")
		list[0].former = fmt.Sprintf("labels of 32 bits instead of at least %d", LabelBits) // version 1 of the JSON
	case n < LabelBits:
		add(Labels, "labels of %d bits instead of at least %d", n, LabelBits)
	}
	if r.Input.Source != report.Kronecker {
		add(Graph, "the graph comes from a file")
	} else if r.Input.EdgeFactor != EdgeFactor {
		add(Density, "edgefactor %v instead of %d", r.Input.EdgeFactor, EdgeFactor)
	}
	for _, k := range r.Kernels {
		if repeated(k.Searches) {
			add(Keys, "two searches have the same key")
			break
		}
	}
	for _, k := range r.Kernels {
		if n := len(k.Searches); n != Searches {
			add(Count, "number of searches %d instead of %d", n, Searches)
			list[len(list)-1].former = fmt.Sprintf("%d searches instead of %d", n, Searches)
			break
		}
	}
	if !r.Validated() {
		add(Validation, "the searches were not validated")
	}
	return list
}

// repeated reports whether two searches have the same root.
func repeated(searches []report.Search) bool {
	seen := make(map[engine.Vertex]bool)
	for _, s := range searches {
		if seen[s.Root] {
			return true
		}
		seen[s.Root] = true
	}
	return false
}
