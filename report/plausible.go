package report

import (
	"fmt"
	"math"
	"slices"

	"graph500/engine"
)

// Bounds of a time that a clock measured, in seconds. A time of 0 is too short for the
// clock.
const (
	shortestTime = 1e-9 // the clock counts nanoseconds
	longestTime  = 1e9  // 30 years
)

// Plausible returns an error for a record that no run can have made. It is the check of
// every reader of results: whatever follows from values that pass is finite.
func (r *Run) Plausible() error {
	for _, check := range []func() error{r.plausibleSetup, r.plausibleKernels, r.plausiblePairs} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// plausibleSetup checks the sizes of the graph, the devices, and the times of the phases.
func (r *Run) plausibleSetup() error {
	n, m := r.Graph.Vertices, r.Graph.Tuples
	switch scale := r.Input.Scale; {
	case scale < 0 || scale > maxScale:
		return fmt.Errorf("its scale %d is not in 0..%d", scale, maxScale)
	case n < 1 || m < 0:
		return fmt.Errorf("its graph has %d vertices and %d edges", n, m)
	case float64(n) > math.Ldexp(1, scale) || float64(n) <= math.Ldexp(1, scale-1):
		return fmt.Errorf("its graph has %d vertices, which is not scale %d", n, scale)
	case !(math.Abs(r.Input.EdgeFactor*float64(n)-float64(m)) <= 1e-6*float64(m)):
		return fmt.Errorf("its graph has %d vertices and %d edges, which is not edgefactor %v", n, m, r.Input.EdgeFactor)
	case (r.Device == nil) != (len(r.Devices) == 0):
		return fmt.Errorf("its device and its list of %d devices contradict each other", len(r.Devices))
	}
	if err := plausibleTimes("the generation", r.Generation); err != nil {
		return err
	}
	if err := plausibleTimes("the construction", r.Construction); err != nil {
		return err
	}
	for _, p := range r.Phases {
		if err := plausibleTimes(fmt.Sprintf("phase %.40q", p.Name), p.Seconds); err != nil {
			return err
		}
		for _, e := range p.Energy {
			if e.Joules < 0 || e.Seconds < 0 {
				return fmt.Errorf("phase %.40q took %v J in %v s", p.Name, e.Joules, e.Seconds)
			}
		}
	}
	return nil
}

// plausibleTimes returns an error if one of the times is none.
func plausibleTimes(of string, times ...float64) error {
	for _, t := range times {
		if t != 0 && !(t >= shortestTime && t <= longestTime) {
			return fmt.Errorf("%s took %v s", of, t)
		}
	}
	return nil
}

// plausibleKernels checks each kernel by itself.
func (r *Run) plausibleKernels() error {
	seen := make(map[engine.Kernel]bool)
	for i := range r.Kernels {
		k := &r.Kernels[i]
		switch {
		case !slices.Contains(engine.Kernels(), k.Kernel):
			return fmt.Errorf("it has searches of an unknown kernel, %.20q", k.Kernel)
		case seen[k.Kernel]:
			return fmt.Errorf("it has the kernel %s twice", k.Kernel)
		}
		seen[k.Kernel] = true
		for j := range k.Searches {
			if err := r.plausibleSearch(&k.Searches[j]); err != nil {
				return fmt.Errorf("search %d of %s: %w", j+1, k.Kernel.Title(), err)
			}
		}
		for _, e := range k.Energy {
			if e.Joules < 0 || e.Seconds < 0 || e.Searches < 0 || e.Edges < 0 {
				return fmt.Errorf("%d searches of %s with nedge %d took %v J in %v s", e.Searches, k.Kernel.Title(), e.Edges, e.Joules, e.Seconds)
			}
		}
		if p := k.Repetition; p != nil && (p.Searches < 1 || p.Edges < 0 || !(p.Seconds > 0 && p.Seconds <= longestTime)) {
			return fmt.Errorf("%s was repeated %d times with nedge %d in %v s", k.Kernel.Title(), p.Searches, p.Edges, p.Seconds)
		}
	}
	return nil
}

// plausibleSearch checks one search against the sizes of the graph. A root has an edge to
// another vertex, and a tree of n vertices has n - 1 edges.
func (r *Run) plausibleSearch(s *Search) error {
	most := r.Graph.Vertices
	if r.Graph.Connected > 0 {
		most = min(most, r.Graph.Connected)
	}
	switch {
	case int64(s.Root) < 0 || int64(s.Root) >= r.Graph.Vertices:
		return fmt.Errorf("root %d in a graph of %d vertices", s.Root, r.Graph.Vertices)
	case s.Visited < 2 || s.Visited > most:
		return fmt.Errorf("%d vertices reached, of %d with an edge", s.Visited, most)
	case s.Edges < s.Visited-1 || s.Edges > r.Graph.Tuples:
		return fmt.Errorf("nedge %d for %d vertices reached, of %d edges", s.Edges, s.Visited, r.Graph.Tuples)
	case s.Depth < 0 || s.Depth >= s.Visited:
		return fmt.Errorf("depth %d for %d vertices reached", s.Depth, s.Visited)
	}
	if s.ValidateSeconds != nil {
		if err := plausibleTimes("the validation", *s.ValidateSeconds); err != nil {
			return err
		}
	}
	for _, l := range s.Levels {
		if l.Seconds < 0 || l.Seconds > longestTime {
			return fmt.Errorf("a level took %v s", l.Seconds)
		}
	}
	return plausibleTimes("the search", s.Seconds, s.DeviceSeconds)
}

// plausiblePairs checks that searches from one root, of whatever kernel, reached the same.
func (r *Run) plausiblePairs() error {
	first := make(map[engine.Vertex]Search)
	for _, k := range r.Kernels {
		for _, s := range k.Searches {
			f, seen := first[s.Root]
			if !seen {
				first[s.Root] = s
			} else if s.Edges != f.Edges || s.Visited != f.Visited {
				return fmt.Errorf("two searches from root %d reached %d vertices with nedge %d and %d with %d", s.Root, f.Visited, f.Edges, s.Visited, s.Edges)
			}
		}
	}
	return nil
}
