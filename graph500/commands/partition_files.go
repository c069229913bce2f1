package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"

	"graph500/atomicfile"
	"graph500/divide"
	"graph500/engine"
	"graph500/graph"
	"graph500/graph500/run"
	"graph500/memory"
	"graph500/partition"
	"graph500/report"
)

// Names of the files of the parts in a directory.
func partFile(dir string, part int) string {
	return filepath.Join(dir, fmt.Sprintf("part-%d.gr", part))
}
func labelsFile(dir string, part int) string {
	return filepath.Join(dir, fmt.Sprintf("part-%d.labels", part))
}
func mastersFile(dir string, parts int) string {
	return filepath.Join(dir, fmt.Sprintf("vertices.part.%d", parts))
}

// isPartFile reports whether a file has one of these names.
func isPartFile(name string) bool {
	return regexp.MustCompile(`^(part-\d+\.(gr|labels)|vertices\.part\.\d+)$`).MatchString(name)
}

// checkOut returns an error if the directory of -out has parts already.
func (c *partitioning) checkOut() error {
	if c.Out == "" {
		return nil
	}
	entries, err := os.ReadDir(c.Out)
	if err != nil {
		return fmt.Errorf("-out %s: %w", c.Out, atomicfile.Cause(err))
	}
	for _, e := range entries {
		if isPartFile(e.Name()) {
			return fmt.Errorf("-out %s: already holds parts, such as %s: choose another directory", c.Out, e.Name())
		}
	}
	return nil
}

// writeParts writes the own parts, and on rank 0 the masters. The files appear when those of all
// ranks are complete.
func (c *partitioning) writeParts(ctx context.Context, b *run.Bench, rows *divide.Rows, d *divide.Division) error {
	var files []*atomicfile.File
	defer func() {
		for _, f := range files {
			f.Discard()
		}
	}()
	write := func(path string, size uint64, content func(io.Writer) error) error {
		f, err := atomicfile.Create(ctx, path, size)
		if err != nil {
			return err
		}
		files = append(files, f)
		if err := content(f); err != nil {
			return f.Fail(err)
		}
		return nil
	}
	err := func() error {
		for _, p := range d.Parts() {
			labels := make([]engine.Label, p.Proxies())
			for i, row := range p.Rows {
				labels[i] = rows.Labels[row]
			}
			if err := write(partFile(c.Out, p.Number), graph.GaloisSize(uint64(p.Proxies()), uint64(len(p.Neighbors))), func(w io.Writer) error {
				return graph.WriteGalois(w, p.Offsets, p.Neighbors)
			}); err != nil {
				return err
			}
			if err := write(labelsFile(c.Out, p.Number), 8*uint64(len(labels)), func(w io.Writer) error { return graph.WriteLabels(w, labels) }); err != nil {
				return err
			}
		}
		if b.World.Rank() > 0 {
			return nil
		}
		masters := make([]uint8, b.Vertices)
		for v := range masters {
			masters[v] = uint8(partition.Block(uint64(v), b.Vertices, c.parts))
		}
		for row, v := range rows.Labels {
			masters[v] = d.Masters()[row]
		}
		return write(mastersFile(c.Out, c.parts), 2*b.Vertices, func(w io.Writer) error { return graph.WriteParts(w, masters) })
	}()
	if err := b.World.Agree(ctx, err); err != nil {
		return err
	}
	return b.World.Agree(ctx, atomicfile.Commit(files...))
}

// checkParts reads the parts in a directory, counts every figure again and returns a text that
// says so.
func checkParts(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, report.PartitionJSONFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("flag -check: %s: %w", path, atomicfile.Cause(err))
	}
	var of report.Partitioning
	if err := json.Unmarshal(text, &of); err != nil {
		return "", fmt.Errorf("flag -check: %s: %w", path, err)
	}
	if len(of.Policies) != 1 {
		return "", fmt.Errorf("flag -check: %s has %d policies: only the parts of a single one are written", path, len(of.Policies))
	}
	if of.Parts < 1 || of.Parts > partition.MostParts || of.Graph.Vertices < 1 || of.Graph.Vertices > 1<<engine.LabelBits {
		return "", fmt.Errorf("flag -check: %s: %d parts of %d vertices", path, of.Parts, of.Graph.Vertices)
	}
	f, err := recount(ctx, dir, &of)
	if err != nil {
		return "", fmt.Errorf("flag -check: %s: %w", dir, err)
	}
	want := of.Policies[0]
	got := want
	setFigures(&got, f)
	if f.Rows != of.Rows || f.AllArcs != of.Arcs {
		return "", fmt.Errorf("flag -check: %s: the parts have %d rows and %d arcs, and %s says %d and %d", dir, f.Rows, f.AllArcs, path, of.Rows, of.Arcs)
	}
	counted, said := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range counted.NumField() {
		if !reflect.DeepEqual(counted.Field(i).Interface(), said.Field(i).Interface()) {
			return "", fmt.Errorf("flag -check: %s: %s is %v, and %s says %v", dir, counted.Type().Field(i).Tag.Get("json"), counted.Field(i), path, said.Field(i))
		}
	}
	return fmt.Sprintf("%s: %d parts by %s, %d rows, %d arcs: every figure is right\n", dir, of.Parts, want.Policy, f.Rows, f.AllArcs), nil
}

// recount counts the figures of the parts in a directory.
func recount(ctx context.Context, dir string, of *report.Partitioning) (f divide.Figures, err error) {
	rules := partition.OwnerRules()
	i := slices.IndexFunc(rules, func(o partition.OwnerRule) bool { return o.Name == of.Policies[0].Owner })
	if i < 0 {
		return f, fmt.Errorf("there is no rule %q for arcs", of.Policies[0].Owner)
	}
	masters, err := graph.ReadParts(mastersFile(dir, of.Parts), of.Parts)
	if err != nil {
		return f, err
	}
	parts := make([]divide.Stored, of.Parts)
	for number := range parts {
		p := &parts[number]
		if p.Labels, err = graph.ReadLabels(labelsFile(dir, number), uint64(of.Graph.Vertices)); err != nil {
			return f, err
		}
		if len(p.Labels) == 0 {
			p.Offsets = make([]uint64, 1)
			continue // a graph without vertices, which graph.Read refuses
		}
		if p.Offsets, p.Neighbors, err = readRows(ctx, partFile(dir, number)); err != nil {
			return f, err
		}
	}
	props := partition.Props{Parts: of.Parts, Threshold: of.Threshold, RowWeight: of.RowWeight, ArcWeight: of.ArcWeight}
	return divide.Recount(uint64(of.Graph.Vertices), masters, parts, props, partition.Policy{Owner: rules[i]})
}

// readRows returns the rows of a graph file whose arcs are in the order of their sources.
func readRows(ctx context.Context, path string) (offsets []uint64, neighbors []uint32, err error) {
	file, err := graph.Read(ctx, path, graph.Options{})
	if err != nil {
		return nil, nil, err
	}
	offsets, neighbors = make([]uint64, file.Vertices+1), make([]uint32, len(file.Tuples))
	for i, arc := range file.Tuples {
		offsets[arc.U+1]++
		neighbors[i] = arc.V
	}
	for i := range file.Vertices {
		offsets[i+1] += offsets[i]
	}
	return offsets, neighbors, memory.Free(file.Tuples)
}
