package run

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"graph500/engine"
	"graph500/graph500/commandline"
	"graph500/kronecker"
	"graph500/memory"
)

// limits are the amounts of available memory, indexed by engine.Place. A limit
// without a source is unknown, or there is no such memory.
type limits [2]memory.Limit

// measureMemory determines the available memory before the first allocation. If it
// is unknown, the run continues without the check.
func (b *Bench) measureMemory() {
	host, err := memory.Available()
	if err != nil {
		b.Warn(err.Error())
	} else {
		b.limits[engine.HostMemory] = b.ownMemory(host)
	}
	b.limits[engine.DeviceMemory] = b.engine.Memory()
}

// readsWide reports whether tuples are read with the labels of 48 bits that an edge file has. Those
// of a file of -graph have 32.
func (b *Bench) readsWide() bool { return b.Wide() && b.Edges.Read != "" }

// graphSize is what is known of the size of a graph before kernel 1.
type graphSize struct {
	Vertices, tuples uint64
	connected        uint64 // most vertices that have an edge to another vertex; 0 if unknown
}

// sizeOf returns the size of the graph of a spec, which is generated or read from an edge file.
func (b *Bench) sizeOf(spec kronecker.Spec) graphSize {
	size := graphSize{Vertices: spec.Vertices(), tuples: spec.Tuples()}
	if !b.loads() {
		size.connected = spec.MaxConnected()
	}
	return size
}

// job describes a run of the strategies of a set on a graph of the given size.
func (b *Bench) job(set strategySet, size graphSize) engine.Job {
	return engine.Job{Vertices: size.Vertices, Tuples: size.tuples, Connected: size.connected, Loaded: b.loads(), Wide: b.Wide(), LoadedWide: b.readsWide(), Integers: b.Integers(),
		Partition: b.PolicyName(), Strategies: set, Searches: b.searchCount(), Delta: float32(b.Delta)}
}

// plannedJob is the engine's plan of a job, with all other memory that the run takes for it.
type plannedJob struct {
	engine.Plan
	reference engine.Plan // of -check-engine
	misfit    string      // why it does not fit into memory; empty if it fits
}

// planJobs plans the jobs of the run, one for each strategy set.
func (b *Bench) planJobs() { b.jobs = b.planAt(b.graphSize) }

// planAt returns the jobs of the strategy sets at the given size of the graph.
func (b *Bench) planAt(size graphSize) (jobs []plannedJob) {
	for i, set := range b.sets {
		job := b.job(set, size)
		job.Beside = slices.Concat(slices.Concat(b.sets[:i]...), slices.Concat(b.sets[i+1:]...))
		jobs = append(jobs, b.planned(job))
	}
	return jobs
}

// planned plans a job.
func (b *Bench) planned(job engine.Job) plannedJob {
	var of plannedJob
	others := b.distributed(job)
	if b.Extra != nil {
		others = append(others, b.Extra(job, b.World.Size())...)
	}
	if b.reference != nil {
		of.reference = b.reference.plan(job)
		others = append(others, of.reference.Memory...)
	}
	if b.World.Size() == 1 { // ranks plan alike, and only the first one has a reference
		job.Others = others
	}
	of.Plan = b.engine.Plan(job)
	of.Memory = append(of.Memory, others...)
	of.misfit = b.misfit(of.Plan)
	return of
}

// loads reports whether the tuples come from a file.
func (b *Bench) loads() bool { return b.Graph != "" || b.Edges.Read != "" }

// misfit returns why a job does not fit into memory; empty if it fits.
func (b *Bench) misfit(plan engine.Plan) string {
	if most := b.engine.Info().MaxVertices; plan.Vertices > most {
		return fmt.Sprintf("has more vertices than the %d that the %s engine takes", most, b.Record.Engine.Name)
	}
	for place, limit := range b.limits {
		need := engine.Peak(plan.Memory, engine.Place(place))
		if limit.Source != "" && need > limit.Bytes {
			return fmt.Sprintf("needs %s of %s, %s are available (%s)", memory.Size(need), memoryName(engine.Place(place)), memory.Size(limit.Bytes), limit.Source)
		}
	}
	return ""
}

// misfitOf returns why none of the jobs fits: the reason of the first; empty if one fits.
func misfitOf(jobs []plannedJob) string {
	if slices.ContainsFunc(jobs, func(j plannedJob) bool { return j.misfit == "" }) {
		return ""
	}
	return jobs[0].misfit
}

// fitsWithoutSSSP reports whether the run has SSSP, and would fit with BFS in its place.
func (b *Bench) fitsWithoutSSSP() bool {
	if !b.HasKernel(engine.SSSP) {
		return false
	}
	names := b.Catalogue.Named(b.Record.Engine.Name, engine.BFS, b.StrategyOf(engine.BFS))
	if len(names) == 0 { // the name is that of an SSSP strategy
		names = b.Catalogue.Named(b.Record.Engine.Name, engine.BFS, commandline.DefaultStrategy)
	}
	return len(names) > 0 && b.planned(b.job(names, b.graphSize)).misfit == ""
}

// memoryName returns the name of a memory in messages.
func memoryName(place engine.Place) string {
	if place == engine.DeviceMemory {
		return "device memory"
	}
	return "memory"
}

// checkMemory returns an error if the run does not fit.
func (b *Bench) checkMemory() error {
	misfit := misfitOf(b.jobs)
	if misfit == "" {
		return nil
	}
	hint := ""
	if b.fitsWithoutSSSP() {
		hint = "; -kernel=bfs fits"
	}
	if b.Graph != "" {
		return fmt.Errorf("flag -graph: %s with %d vertices and %d edges %s%s", b.Graph, b.Vertices, b.tuples, misfit, hint)
	}
	for smaller := b.spec; smaller.Scale > 1; {
		smaller.Scale--
		if misfitOf(b.planAt(b.sizeOf(smaller))) == "" {
			return fmt.Errorf("flag -scale: scale %d %s; the largest scale that fits is %d%s", b.Scale, misfit, smaller.Scale, hint)
		}
	}
	return fmt.Errorf("flag -scale: scale %d %s; no scale fits%s", b.Scale, misfit, hint)
}

// planText returns the text of -memory.
func (b *Bench) planText() string {
	var text strings.Builder
	var strategies []string
	for _, s := range b.sets[0] {
		strategies = append(strategies, fmt.Sprintf("%s (%s)", s.Kernel, s.Name))
	}
	fmt.Fprintf(&text, "memory plan of the %s engine for %s: scale %d, edgefactor %.7g, %d vertices, %d tuples\n",
		b.Record.Engine.Name, strings.Join(strategies, " and "), b.spec.Scale, b.Record.Input.EdgeFactor, b.Vertices, b.tuples)
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "array\tmemory\talive\tsize\tbytes\t\n")
	plan := b.jobs[0].Memory
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
	if misfitOf(b.jobs) != "" {
		fits = "no"
	} else if b.limits[engine.HostMemory].Source == "" {
		fits = "unknown"
	}
	fmt.Fprintf(&text, "limited by: %s\nfits: %s\n", strings.Join(sources, "; "), fits)
	return text.String()
}
