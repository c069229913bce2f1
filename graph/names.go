package graph

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"graph500/engine"
	"graph500/memory"
)

// bytesOfName is about what a name takes in memory besides its text: an entry of the list and
// one of the map.
const bytesOfName = 64

// names numbers the vertices of an edge list in the order in which their names appear.
type names struct {
	list   []string
	number map[string]engine.Label
	bytes  uint64 // about the memory that they take
	fixed  bool   // all names are known: another one is an error
}

// add returns the number of a name.
func (n *names) add(name string, limit memory.Limit) (engine.Label, error) {
	if v, known := n.number[name]; known {
		return v, nil
	}
	if n.fixed {
		return 0, fmt.Errorf("%s is none of the vertices of the .v file", quoted(name))
	}
	if n.bytes += bytesOfName + uint64(len(name)); n.bytes > limit.Bytes {
		return 0, fmt.Errorf("the names of %d vertices need more memory than the %s that are available (%s)", len(n.list), memory.Size(limit.Bytes), limit.Source)
	}
	if uint64(len(n.list)) > uint64(maxVertex) {
		return 0, fmt.Errorf("more than %d vertices", uint64(maxVertex)+1)
	}
	name = strings.Clone(name)
	v := engine.Label(len(n.list))
	n.list, n.number[name] = append(n.list, name), v
	return v, nil
}

// readNamed reads an edge list whose vertices are any words, or numbers of any size. It
// numbers them in the order of appearance, in the list of vertices of LDBC Graphalytics if
// there is one beside the file, else in the file.
func (r *reader) readNamed(ctx context.Context) (*File, error) {
	n := &names{number: map[string]engine.Label{}}
	if err := r.verticesBeside(ctx, func(id string) error {
		n.fixed = false
		_, err := n.add(id, r.tuples.limit)
		n.fixed = true
		return err
	}); err != nil {
		return nil, err
	}
	s := &syntax{comments: "#%", last: math.MaxUint64, wholeWeights: r.integers}
	var found result
	tuples := r.newBatch()
	begin, _ := r.buf.Peek(maxLine)
	if k := parseKONECT(begin); k != nil && k.kind == "bip" {
		return nil, fmt.Errorf("%s: the vertices of both sides have the same names in a bipartite KONECT file: read it without -renumber", r.path)
	}
	for {
		line, err := r.line()
		if err == io.EOF {
			break
		}
		if err == nil && r.lines%1024 == 0 && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err == nil {
			err = r.namedEdge(s, n, line, &found, tuples)
		}
		if err != nil {
			return nil, err
		}
	}
	if found.edges == 0 {
		return nil, fmt.Errorf("%s: no edges", r.path)
	}
	f := &File{Vertices: uint64(len(n.list)), Names: n.list, Symmetrised: true, Warnings: roundedWeights(found.rounded)}
	if err := found.titles(n); err != nil {
		return nil, r.errorAt(found.headLine, err)
	}
	r.weighted = found.weighted
	return r.finish(ctx, f, tuples, r.checkHeaviest(found.heaviest, f.Vertices))
}

// namedEdge reads the edge of a line, if it holds one.
func (r *reader) namedEdge(s *syntax, n *names, line []byte, found *result, tuples *batch) error {
	text := trimBlanks(s.withoutComment(trimBlanks(line)))
	if len(text) == 0 || text[0] == '#' || text[0] == '%' {
		return nil
	}
	columns := s.columns(string(text))
	if len(columns) < 2 || columns[0] == "" || columns[1] == "" {
		return r.errorAt(r.lines, errors.New("a line without the names of two vertices"))
	}
	var ends [2]engine.Label
	for i := range ends {
		var err error
		if ends[i], err = n.add(columns[i], r.tuples.limit); err != nil {
			return r.errorAt(r.lines, err)
		}
	}
	var weight float32
	if r.weighted {
		if err := s.addWeight(&weight, text, found); err != nil {
			return r.errorAt(r.lines, err)
		}
	}
	if found.edges == 0 {
		found.headLine = r.lines
		if r.weighted && !found.weighted {
			tuples.tuples.Weights = nil
		}
	}
	found.edges++
	return tuples.add(engine.Edge{U: ends[0], V: ends[1]}, weight)
}

// titles returns an error if the first line of a list probably holds no edge, but the titles
// of the columns, or the sizes: if only its names are words, or if they are the numbers of
// vertices and edges of the others.
func (r *result) titles(n *names) error {
	if len(n.list) < 4 || n.fixed {
		return nil
	}
	numbers := 0
	for _, name := range n.list {
		if digits(name) {
			numbers++
		}
	}
	if numbers == len(n.list)-2 && !digits(n.list[0]) && !digits(n.list[1]) {
		return errors.New("only this line holds words: put # before it if they are titles")
	}
	if n.list[1] == fmt.Sprint(r.edges-1) && (n.list[0] == fmt.Sprint(len(n.list)-2) || n.list[0] == fmt.Sprint(len(n.list)-1) || n.list[0] == fmt.Sprint(len(n.list))) {
		return errors.New("may be a header with the numbers of vertices and edges: put # before it")
	}
	return nil
}

// verticesBeside calls use for each vertex in the list of LDBC Graphalytics beside the file,
// NAME.v for NAME.e, if there is one (The LDBC Graphalytics Benchmark, section 2.2.2).
func (r *reader) verticesBeside(ctx context.Context, use func(id string) error) error {
	base, ok := strings.CutSuffix(r.path, ".e")
	if !ok || r.name != r.path {
		return nil
	}
	if _, err := os.Stat(base + ".v"); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	src, err := openSource(ctx, base+".v")
	if err != nil {
		return err
	}
	defer src.Close()
	list := &reader{source: src}
	for {
		line, err := list.line()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		words := strings.Fields(string(line))
		if len(words) == 0 {
			continue
		}
		if len(words) > 1 {
			return list.errorAt(list.lines, fmt.Errorf("%d words, a list of vertices has one in each line", len(words)))
		}
		if err := use(words[0]); err != nil {
			return list.errorAt(list.lines, err)
		}
	}
}
