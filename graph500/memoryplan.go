package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"graph500/engine"
	"graph500/memory"
)

// measureMemory looks up how much memory there is, before anything is taken.
// Where the system does not say, the run goes on without the check.
func (b *bench) measureMemory() {
	limit, err := memory.Available()
	if err != nil {
		b.warn(err.Error())
		return
	}
	b.limit = limit
}

// needed is the memory that the run takes at once for the given size.
func (b *bench) needed(vertices, tuples uint64) uint64 {
	return engine.Peak(b.engine.Plan(vertices, tuples))
}

// checkMemory returns an error if the run does not fit.
func (b *bench) checkMemory() error {
	need := b.needed(b.vertices, b.tuples)
	if b.limit.Source == "" || need <= b.limit.Bytes {
		return nil
	}
	lack := fmt.Sprintf("needs %s of memory, %s are available (%s)", memory.Size(need), memory.Size(b.limit.Bytes), b.limit.Source)
	if b.Graph != "" {
		return fmt.Errorf("flag -graph: %s with %d vertices and %d edges %s", b.Graph, b.vertices, b.tuples, lack)
	}
	for smaller := b.spec; smaller.Scale > 1; {
		smaller.Scale--
		if b.needed(smaller.Vertices(), smaller.Tuples()) <= b.limit.Bytes {
			return fmt.Errorf("flag -scale: scale %d %s; the largest scale that fits is %d", b.Scale, lack, smaller.Scale)
		}
	}
	return fmt.Errorf("flag -scale: scale %d %s; no scale fits", b.Scale, lack)
}

// planText is what -memory prints.
func (b *bench) planText() string {
	var text strings.Builder
	fmt.Fprintf(&text, "memory plan of the %s engine: scale %d, edgefactor %d, %d vertices, %d tuples\n",
		b.engine.Name(), b.spec.Scale, b.spec.EdgeFactor, b.vertices, b.tuples)
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "array\talive\tsize\tbytes\t\n")
	for _, a := range b.engine.Plan(b.vertices, b.tuples) {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t\n", a.Name, a.Phase, memory.Size(a.Bytes), a.Bytes)
	}
	need := b.needed(b.vertices, b.tuples)
	fmt.Fprintf(w, "at most at once\t\t%s\t%d\t\n", memory.Size(need), need)
	fits := "unknown"
	if b.limit.Source != "" {
		fmt.Fprintf(w, "available\t\t%s\t%d\t\n", memory.Size(b.limit.Bytes), b.limit.Bytes)
		fits = "yes"
		if need > b.limit.Bytes {
			fits = "no"
		}
	}
	w.Flush()
	fmt.Fprintf(&text, "limited by: %s\nfits: %s\n", b.limit.Source, fits)
	return text.String()
}
