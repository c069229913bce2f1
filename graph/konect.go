package graph

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"graph500/engine"
)

// konect is what the first lines of a file of the KONECT collection say (Kunegis: Handbook of
// Network Analysis, the KONECT project, 2017): "% sym|asym|bip [WEIGHTS]" and, if it is there,
// "% EDGES LEFT [RIGHT]" with the numbers of vertices. Vertices count from 1, those of each
// side of a bipartite graph (bip) by themselves. The columns are the two vertices, the weight
// and the time.
type konect struct {
	kind        string // sym, asym or bip
	weights     string // or empty
	edges       uint64 // stated, or 0
	left, right uint64 // vertices stated, or 0
}

// konectWeights are the kinds of weights, with true for those that can be lengths: others are numbers of
// equal edges, or nothing.
var konectWeights = map[string]bool{
	"": false, "unweighted": false, "positive": false, "dynamic": false,
	"posweighted": true, "signed": true, "multisigned": true, "weighted": true, "multiweighted": true, "multiposweighted": true,
}

// parseKONECT parses the first lines of a text. It returns nil if they are not those of KONECT.
func parseKONECT(begin []byte) *konect {
	first, rest, _ := bytes.Cut(begin, []byte("\n"))
	text, ok := bytes.CutPrefix(first, []byte("%"))
	words := bytes.Fields(text)
	if !ok || len(words) == 0 || !slices.Contains([]string{"sym", "asym", "bip"}, string(words[0])) {
		return nil
	}
	k := &konect{kind: string(words[0])}
	if len(words) > 1 {
		k.weights = string(words[1])
	}
	if _, known := konectWeights[k.weights]; !known {
		return nil
	}
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	if text, ok = bytes.CutPrefix(second, []byte("%")); !ok {
		return k
	}
	for i, word := range bytes.Fields(text) {
		n, err := strconv.ParseUint(string(word), 10, 64)
		if err != nil || i > 2 {
			return k
		}
		*[]*uint64{&k.edges, &k.left, &k.right}[i] = n
	}
	return k
}

// complete turns the tuples of the file into a graph: it numbers the right side of a bipartite
// graph after the left one. largest is the largest label, counted from 0.
func (k *konect) complete(f *File, largest engine.Label) error {
	f.Symmetrised = k.kind == "asym"
	f.Vertices = max(uint64(largest)+1, k.left, k.right)
	note := fmt.Sprintf("a KONECT file (%s): vertices count from 1", strings.TrimSpace(k.kind+" "+k.weights))
	if k.kind == "bip" {
		left, right := k.left, k.right
		for _, e := range f.Tuples {
			left, right = max(left, uint64(e.U)+1), max(right, uint64(e.V)+1)
		}
		if f.Vertices = left + right; f.Vertices > uint64(maxVertex)+1 {
			return fmt.Errorf("%d vertices, at most %d are possible", f.Vertices, uint64(maxVertex)+1)
		}
		for i := range f.Tuples {
			f.Tuples[i].V += engine.Label(left)
		}
		note += fmt.Sprintf("; the %d on the right follow the %d on the left", right, left)
	}
	f.Notes = append(f.Notes, note)
	if !konectWeights[k.weights] {
		f.Notes = append(f.Notes, fmt.Sprintf("the third column of a KONECT file of kind %s is not a weight", cmp.Or(k.weights, k.kind)))
	}
	if n := uint64(len(f.Tuples)); k.edges > 0 && k.edges != n {
		f.Warnings = append(f.Warnings, fmt.Sprintf("the second line states %d edges, the file holds %d: it may be incomplete", k.edges, n))
	}
	return nil
}
