package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"graph500/engine"
)

// listHeader is the first line of an edge list, if it consists of two or three whole numbers: an
// edge, or the sizes of the graph, "vertices edges" or "rows columns entries".
type listHeader struct {
	sizes []uint64
	line  int
	apart bool // lines that follow have other numbers of columns: it is no edge
}

// parseListHeader parses the first line of a list. It returns nil if it cannot be a header.
func parseListHeader(text []byte, line int) *listHeader {
	words := bytes.FieldsFunc(text, func(c rune) bool { return c < 0x80 && strings.ContainsRune(" \t\r\n,", c) })
	if len(words) < 2 || len(words) > 3 {
		return nil
	}
	h := &listHeader{line: line}
	for _, word := range words {
		n, err := strconv.ParseUint(string(word), 10, 64)
		if err != nil {
			return nil
		}
		h.sizes = append(h.sizes, n)
	}
	return h
}

// A headerOf says how a first line goes with the edges that follow.
type headerOf int

const (
	anEdge    headerOf = iota // it is an edge
	unclear                   // it may be a header
	sizesOnce                 // the sizes of the list
	sizesBoth                 // the sizes of a list that holds each edge in both directions
)

// judge says how the line goes with the tuples that follow.
func (h *listHeader) judge(ctx context.Context, tuples engine.Tuples) (headerOf, error) {
	edges := tuples.Edges
	lines := uint64(len(edges))
	if lines == 0 {
		return anEdge, nil
	}
	last := len(h.sizes) - 1
	vertices, count := slices.Min(h.sizes[:last]), h.sizes[last]
	smallest, largest := engine.None, engine.Label(0)
	for _, e := range edges {
		smallest, largest = min(smallest, e.U, e.V), max(largest, e.U, e.V)
	}
	holdsAll := vertices > uint64(largest) || vertices == uint64(largest) && smallest > 0 // counted from 1
	square := last == 1 || h.sizes[0] == h.sizes[1]
	switch {
	case vertices == 0: // no graph has none
		return anEdge, nil
	case holdsAll && square && count == lines:
		return sizesOnce, nil
	case holdsAll && square && lines == 2*count && inBothDirections(tuples):
		return sizesBoth, nil
	case h.apart, vertices >= uint64(largest) && count > 0 && (square || near(count, lines)),
		last == 2 && h.sizes[0] >= uint64(largest) && near(h.sizes[1], lines) && h.hasFormat():
		return unclear, nil
	case !near(count, lines):
		return anEdge, nil
	}
	used, err := connected(ctx, edges, uint64(largest)+1)
	if err == nil && used <= vertices { // labels that are not those of all vertices
		return unclear, nil
	}
	return anEdge, err
}

// hasFormat reports whether the last of three numbers can be the format of a METIS file.
func (h *listHeader) hasFormat() bool {
	_, err := parseMETISHeader(h.sizes)
	return err == nil
}

// near reports whether the numbers differ by at most a factor of two.
func near(a, b uint64) bool { return a <= 2*b && b <= 2*a }

// inBothDirections reports whether the tuples are those between different vertices, each in
// both directions with the same weight.
func inBothDirections(t engine.Tuples) bool {
	var ends bothEnds
	for i, e := range t.Edges {
		weight := float32(0)
		if t.Weights != nil {
			weight = t.Weights[i]
		}
		ends.add(e.U, e.V, weight)
	}
	return ends.loops == 0 && ends.check() == nil
}

// apply treats the first line of a list as what it is. f has the tuples of all lines, without
// the first one if that is apart.
func (h *listHeader) apply(ctx context.Context, f *File) error {
	rest := engine.Tuples{Edges: f.Tuples, Weights: f.Weights}
	if !h.apart {
		rest.Edges = rest.Edges[1:]
		if rest.Weights != nil {
			rest.Weights = rest.Weights[1:]
		}
	}
	verdict, err := h.judge(ctx, rest)
	if err != nil {
		return err
	}
	last := len(h.sizes) - 1
	switch verdict {
	case anEdge:
		return nil
	case unclear:
		return errors.New("may be a header with the numbers of vertices and edges that do not go with the lines that follow: put # before it if edges follow, " +
			"put a line \"# Nodes: N\" before it if it is an edge; give the file the suffix .graph if it is a METIS file")
	case sizesBoth:
		if err := f.keep(ctx, h.apart, true); err != nil {
			return err
		}
	case sizesOnce:
		if err := f.keep(ctx, h.apart, false); err != nil {
			return err
		}
	}
	f.Vertices = h.sizes[0]
	from := ""
	if slices.ContainsFunc(f.Tuples, func(e engine.Edge) bool { return uint64(max(e.U, e.V)) == f.Vertices }) {
		for i, e := range f.Tuples {
			f.Tuples[i] = engine.Edge{U: e.U - 1, V: e.V - 1}
		}
		from = ", which count from 1"
	}
	f.Notes = append(f.Notes, fmt.Sprintf("line %d is a header: %d vertices%s, %d edges", h.line, f.Vertices, from, h.sizes[last]))
	return nil
}

// keep removes the first tuple unless that is gone already, and, with once, the direction of
// each edge from the larger to the smaller label.
func (f *File) keep(ctx context.Context, gone, once bool) error {
	at := 0
	for i, e := range f.Tuples {
		if i%block == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if i == 0 && !gone || once && e.U > e.V {
			continue
		}
		f.Tuples[at] = e
		if f.Weights != nil {
			f.Weights[at] = f.Weights[i]
		}
		at++
	}
	f.Tuples = f.Tuples[:at]
	if f.Weights != nil {
		f.Weights = f.Weights[:at]
	}
	f.Symmetrised = f.Symmetrised && !once
	return nil
}
