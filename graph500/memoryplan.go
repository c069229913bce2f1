package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"graph500/engine"
	"graph500/memory"
)

// limits are the amounts of memory to be had, in the order of engine.Place. One
// without a source is unknown or not there.
type limits [2]memory.Limit

// measureMemory looks up how much memory there is, before anything is taken.
// Where the system does not say, the run goes on without the check.
func (b *bench) measureMemory() error {
	host, err := memory.Available()
	if err != nil {
		b.warn(err.Error())
	} else {
		b.limits[engine.HostMemory] = host
	}
	d, ok := b.engine.(deviceEngine)
	if !ok {
		return nil
	}
	free, err := d.DeviceMemory()
	b.limits[engine.DeviceMemory] = memory.Limit{Bytes: free, Source: "free memory of " + d.Device().Name}
	return err
}

// plan lists what the run takes for the given size.
func (b *bench) plan(vertices, tuples uint64) []engine.Allocation {
	plan := b.engine.Plan(vertices, tuples, b.loads())
	if b.reference != nil {
		plan = append(plan, b.reference.plan(vertices, tuples)...)
	}
	return plan
}

// loads reports whether the tuples come from a file.
func (b *bench) loads() bool {
	from, _, _ := b.edgeFiles() // an error is reported where they are read
	return b.Graph != "" || from != ""
}

// lack returns the first memory that is not enough for the given size, and
// what is needed of it.
func (b *bench) lack(vertices, tuples uint64) (place engine.Place, need uint64, lacks bool) {
	plan := b.plan(vertices, tuples)
	for place, limit := range b.limits {
		need := engine.Peak(plan, engine.Place(place))
		if limit.Source != "" && need > limit.Bytes {
			return engine.Place(place), need, true
		}
	}
	return 0, 0, false
}

// obstacle says why the run cannot be of the given size; it is empty if it can.
func (b *bench) obstacle(vertices, tuples uint64) string {
	if d, ok := b.engine.(deviceEngine); ok && vertices > d.MaxVertices() {
		return fmt.Sprintf("has more vertices than the %d that the %s engine takes", d.MaxVertices(), d.Name())
	}
	place, need, lacks := b.lack(vertices, tuples)
	if !lacks {
		return ""
	}
	limit := b.limits[place]
	return fmt.Sprintf("needs %s of %s, %s are available (%s)", memory.Size(need), memoryName(place), memory.Size(limit.Bytes), limit.Source)
}

// memoryName is what messages call a memory.
func memoryName(place engine.Place) string {
	if place == engine.DeviceMemory {
		return "device memory"
	}
	return "memory"
}

// checkMemory returns an error if the run does not fit.
func (b *bench) checkMemory() error {
	obstacle := b.obstacle(b.vertices, b.tuples)
	if obstacle == "" {
		return nil
	}
	if b.Graph != "" {
		return fmt.Errorf("flag -graph: %s with %d vertices and %d edges %s", b.Graph, b.vertices, b.tuples, obstacle)
	}
	for smaller := b.spec; smaller.Scale > 1; {
		smaller.Scale--
		if b.obstacle(smaller.Vertices(), smaller.Tuples()) == "" {
			return fmt.Errorf("flag -scale: scale %d %s; the largest scale that fits is %d", b.Scale, obstacle, smaller.Scale)
		}
	}
	return fmt.Errorf("flag -scale: scale %d %s; no scale fits", b.Scale, obstacle)
}

// planText is what -memory prints.
func (b *bench) planText() string {
	var text strings.Builder
	fmt.Fprintf(&text, "memory plan of the %s engine: scale %d, edgefactor %d, %d vertices, %d tuples\n",
		b.engine.Name(), b.spec.Scale, b.spec.EdgeFactor, b.vertices, b.tuples)
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "array\tmemory\talive\tsize\tbytes\t\n")
	plan := b.plan(b.vertices, b.tuples)
	for _, a := range plan {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t\n", a.Name, a.Place, a.Phase, memory.Size(a.Bytes), a.Bytes)
	}
	var sources []string
	for place, limit := range b.limits {
		place := engine.Place(place)
		need := engine.Peak(plan, place)
		if need > 0 {
			fmt.Fprintf(w, "at most at once\t%s\t\t%s\t%d\t\n", place, memory.Size(need), need)
		}
		if limit.Source != "" {
			fmt.Fprintf(w, "available\t%s\t\t%s\t%d\t\n", place, memory.Size(limit.Bytes), limit.Bytes)
			sources = append(sources, limit.Source)
		}
	}
	w.Flush()
	fits := "yes"
	if b.obstacle(b.vertices, b.tuples) != "" {
		fits = "no"
	} else if b.limits[engine.HostMemory].Source == "" {
		fits = "unknown"
	}
	fmt.Fprintf(&text, "limited by: %s\nfits: %s\n", strings.Join(sources, "; "), fits)
	return text.String()
}
