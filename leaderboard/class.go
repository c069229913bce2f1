package leaderboard

import (
	"cmp"
	"fmt"
	"slices"

	"graph500/report"
	"graph500/rules"
)

// class identifies a table. Two runs can be compared if they have the same class and
// it is ranked.
type class struct {
	kind             kind
	ranked           bool
	edgeFactor       float64 // of kind otherDensity
	source           string  // of kind ownGraph: the file
	vertices, tuples int64   // of kind ownGraph
	checksum         string  // of kind ownGraph
}

// kind is a kind of table, in the order of the page.
type kind int

const (
	official     kind = iota // nothing but the label width differs from the rules
	otherDensity             // another edgefactor
	ownGraph                 // edges that the generator does not make
	otherKeys                // not 64 sampled keys, or a reason that this package does not know
	notValidated
)

// classOf returns the class of a run that breaks these rules. A search that was not
// validated may be wrong, so its rate says nothing: this comes before all else.
func classOf(r *report.Run, broken []rules.Violation) class {
	switch {
	case breaks(broken, rules.Validation):
		return class{kind: notValidated}
	case breaks(broken, rules.Graph):
		return class{kind: ownGraph, ranked: true, source: sourceOf(r), vertices: r.Graph.Vertices, tuples: r.Graph.Tuples, checksum: r.Input.Checksum}
	case breaks(broken, rules.Density):
		return class{kind: otherDensity, ranked: true, edgeFactor: r.Input.EdgeFactor}
	case breaks(broken, rules.Keys), breaks(broken, rules.Count), breaks(broken, rules.Other):
		return class{kind: otherKeys}
	}
	return class{kind: official, ranked: true}
}

// sourceOf names the file of a graph, and the weights if they are not those of the file.
func sourceOf(r *report.Run) string {
	if w := r.Input.Weights; w == "unit" || w == "drawn" {
		return fmt.Sprintf("%s, weights: %s", r.Input.Source, w)
	}
	return r.Input.Source
}

func breaks(broken []rules.Violation, rule rules.Rule) bool {
	return slices.ContainsFunc(broken, func(v rules.Violation) bool { return v.Rule == rule })
}

// compare compares for the order of the tables.
func (c class) compare(d class) int {
	return cmp.Or(cmp.Compare(c.kind, d.kind), cmp.Compare(c.edgeFactor, d.edgeFactor),
		cmp.Compare(c.source, d.source), cmp.Compare(c.tuples, d.tuples), cmp.Compare(c.vertices, d.vertices), cmp.Compare(c.checksum, d.checksum))
}

// texts returns title and explanation of the table.
func (c class) texts() (title, about string) {
	switch c.kind {
	case official:
		return "Official graph", fmt.Sprintf("Edges of the official generator, edgefactor %d, %d sampled search keys, every search validated. "+
			"A run that breaks another rule of the Graph500 list, such as the width of labels, is marked and stays.", rules.EdgeFactor, rules.Searches)
	case otherDensity:
		return fmt.Sprintf("Edgefactor %v", c.edgeFactor), fmt.Sprintf("Edges of the official generator, but another edgefactor than %d: the rates compare with each other only.", rules.EdgeFactor)
	case ownGraph:
		identity := ""
		if c.checksum != "" {
			identity = ", checksum " + c.checksum
		}
		return "Graph " + c.source, fmt.Sprintf("A graph from a file: %s vertices, %s edges%s. The rates compare with each other only.", whole(c.vertices), whole(c.tuples), identity)
	case otherKeys:
		return "Other searches", fmt.Sprintf("Not %d sampled search keys, or another reason of the run's own: without rank, because the mean is over other searches.", rules.Searches)
	}
	return "Not validated", "The searches were not checked, so they may be wrong: without rank."
}
