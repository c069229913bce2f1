package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jessevdk/go-flags"

	"graph500/engine"
)

// options are the checked settings of command line and environment.
type options struct {
	InputFlags  `group:"Graph"`
	SearchFlags `group:"Searches"`
	FileFlags   `group:"Files"`
	OutputFlags `group:"Output"`

	catalogue     catalogue
	deltaGiven    bool      // -delta is given
	threadsGiven  bool      // -threads is given
	deviceGiven   bool      // -device is given
	requiresGPU   bool      // -device or -gpus is given: only the GPU engine can run
	tempFile      string    // TMPFILE: holds the edges during the run
	edges         edgeFiles // see findEdgeFiles
	reuseTempFile bool      // REUSEFILE: tempFile can exist before the run and is not removed
}

// InputFlags choose the graph.
type InputFlags struct {
	Scales     scales `long:"scale" short:"s" default:"16" value-name:"N" description:"log2 of the number of vertices; several, such as 20,22,24 or 20:28:2 (FIRST:LAST:STEP), are run one after the other, each with a directory scale-NN for its results"`
	Scale      int    // of the run
	EdgeFactor int    `long:"edgefactor" base:"10" default:"16" value-name:"N" description:"input tuples for each vertex; a conforming run has 16"`
	Seed1      uint64 `long:"seed1" base:"10" default:"2" value-name:"N" description:"first seed of the generator and of the search keys"`
	Seed2      uint64 `long:"seed2" base:"10" default:"3" value-name:"N" description:"second seed"`
	LabelBits  int    `long:"label-bits" base:"10" default:"32" value-name:"N" description:"bits of a vertex number in the tuples and in the parents: 32, which takes less memory and time, or the 48 that a conforming run has (tuples of 12 bytes instead of 8, parents of 8 instead of 4)"`
	Graph      string `long:"graph" value-name:"FILE" description:"search this graph instead: an edge list (also of SNAP, KONECT, LDBC), Matrix Market, DIMACS, METIS, GAP (.sg, .wsg) or Galois (.gr), plain, compressed (gzip, zstd, bzip2) or in an archive (tar, zip); taken as undirected"`
	Renumber   bool   `long:"renumber" description:"the vertices of the edge list of -graph are words or numbers with gaps: number them by appearance; names.txt beside the results holds their names"`
	ReadEdges  string `long:"read-edges" value-name:"FILE" description:"read the tuples from a packed edge file of this scale and edgefactor (compressed too) instead of generating them; for sssp also the weights, from FILE.weights beside it (FILE.weights.zst beside FILE.zst)."`
	Weights    string `long:"weights" default:"auto" value-name:"NAME" description:"weights for sssp on a loaded graph: file (of the file, which must have some), unit (1 each), drawn (as generated), ignore (as if the file had none: drawn) or auto: of the file, or drawn if that of -graph has none"`
}

// SearchFlags choose kernels, engine, strategies and searches.
type SearchFlags struct {
	Kernel         string   `long:"kernel" default:"bfs" value-name:"NAME" description:"bfs (breadth-first search, kernel 2), sssp (single-source shortest paths, kernel 3) or both (first bfs, then sssp on the same graph); SKIP_BFS set in the environment chooses sssp, too"`
	Engine         string   `long:"engine" default:"auto" value-name:"NAME" description:"search engine: cpu, gpu, or auto (gpu if there is a usable GPU, else cpu)"`
	Device         int      `long:"device" base:"10" default:"0" value-name:"N" description:"number of the GPU, from 0, among those of CUDA_VISIBLE_DEVICES; if given, the run fails without a GPU. Without it, ranks take different GPUs; with it, all ranks take this one"`
	GPUs           gpuCount `long:"gpus" default:"1" value-name:"N" description:"number of GPUs that search together by the default strategies, or all: the chosen one and those after it. With ranks, the number of each rank"`
	Exchange       string   `long:"exchange" default:"auto" value-name:"NAME" description:"how GPUs that search together get data of each other: peer (each accesses the memory of the others), nccl (NCCL, between hosts too), host (through the memory of the hosts, with MPI between ranks) or auto: peer if the GPUs can, else nccl if that works, else host"`
	GPUMemory      size     `long:"gpu-memory" value-name:"SIZE" description:"take at most this amount of the memory of each GPU, such as 16GiB; default: all that is free"`
	Residency      string   `long:"residency" default:"auto" value-name:"NAME" description:"where the GPU engine keeps the neighbours of the graph: resident (in the memory of the GPU), prefix (the first ones of each vertex there, the lightest for sssp, as many as fit, the others in page-locked host memory; by the default strategies; over several ranks for bfs only) or auto (resident if that fits, else prefix, else, for bfs on one GPU, zero-copy). For bfs by the default strategy on one GPU only, all in host memory: zero-copy (the GPU reads them there), subgraph (the host gathers those that a level needs), partition (partitions are copied as a whole) or managed (unified memory)"`
	Partition      string   `long:"partition" default:"ranges" value-name:"POLICY" description:"how ranks of the CPU engine share the graph: ranges (of vertices), or a policy of graph500 partition, such as contiguous-eb-source, contiguous-hybrid (bfs) or contiguous-cartesian (sssp), with a part for each rank"`
	Threads        int      `long:"threads" base:"10" default:"0" value-name:"N" description:"threads of the CPU engine and for reading files; 0: one for each processor; if not given, what the job grants (SLURM_CPUS_PER_TASK, NCPUS, PBS_NUM_PPN, OMP_NUM_THREADS)"`
	Strategy       []string `long:"strategy" default:"default" value-name:"NAME" description:"search strategy, with -kernel=both of both kernels; bfs:NAME or sssp:NAME: of that kernel; repeatable; 'help' lists them"`
	Delta          decimal  `long:"delta" default:"0.1" value-name:"X" description:"width of the buckets of sssp strategies that need one, such as delta-stepping; the list of strategies marks them"`
	Roots          int      `long:"roots" base:"10" default:"64" value-name:"N" description:"number of searches; a conforming run has 64"`
	RootsFrom      string   `long:"roots-from" default:"all" value-name:"NAME" description:"sample the search keys of -graph from all vertices with an edge, or the largest component: all or largest"`
	Root           []int64  `long:"root" base:"10" value-name:"VERTEX" description:"search from this vertex, 0..N-1 for N vertices, instead of sampled ones; repeatable"`
	SkipValidation bool     `long:"skip-validation" description:"do not validate the searches (also: SKIP_VALIDATION set in the environment)"`
	CheckParents   string   `long:"check-parents" value-name:"FILE" description:"validate this parents file of a search from the vertex of -root, and stop"`
	CheckDistances string   `long:"check-distances" value-name:"FILE" description:"distances for -check-parents=X.i64 with -kernel=sssp; default: X.f32"`
	CheckEngine    bool     `long:"check-engine" description:"compare every search of the GPU engine with one of the CPU engine: depth of every vertex (bfs), bits of every distance (sssp)"`
	Energy         bool     `long:"energy" description:"measure the energy of the GPU (NVML) and of the processor packages (powercap) for each phase and for the searches of each kernel; warns of what cannot be measured"`
	RepeatFor      duration `long:"repeat-for" value-name:"DURATION" description:"repeat the searches of each kernel after the timed ones for this long, such as 30s or 5m, for meters of energy; prints when that begins and ends"`
	Timeout        duration `long:"timeout" value-name:"DURATION" description:"stop the run after this long, such as 30m: one line with the phase, status 124; searches done before are kept in result.json"`
	Memory         bool     `long:"memory" description:"print the memory plan and whether it fits, and stop"`
}

// FileFlags name the files to write.
type FileFlags struct {
	WriteEdges   string `long:"write-edges" value-name:"FILE" description:"write the tuples to a packed edge file (.zst: compressed, by one process only), and the weights for sssp to a file beside it; -read-edges takes those of generated graphs"`
	WriteParents string `long:"write-parents" value-name:"DIR" description:"write one parents file for each search, DIR/<index>-<root>.i64, for sssp DIR/sssp/<index>-<root>.i64 and the distances in .f32; there must not be such files"`
	Out          string `long:"out" value-name:"DIR" description:"write the report in every format into this directory"`
}

// OutputFlags choose what is printed.
type OutputFlags struct {
	Format   string `long:"format" default:"official" value-name:"NAME" description:"format of standard output: official, json, csv or benchstat"`
	Progress string `long:"progress" default:"auto" value-name:"WHEN" description:"progress on stderr: always, never, or auto (if stderr is a terminal)"`
	Verbose  []bool `long:"verbose" short:"v" description:"print phases and the levels of the median search to stderr; twice: levels of every search"`
	Version  bool   `long:"version" description:"print version, commit, Go, CUDA and the checksum of the kernels, and stop; wrong flags are still an error"`
	Help     bool   `long:"help" short:"h" description:"print this help and stop"`
}

// bothKernels is the value of -kernel for all kernels.
const bothKernels = "both"

// kernelNames lists the values of -kernel.
func kernelNames() (names []string) {
	for _, k := range engine.Kernels() {
		names = append(names, string(k))
	}
	return append(names, bothKernels)
}

// kernels lists the kernels of the run in order.
func (o *options) kernels() []engine.Kernel {
	if o.Kernel == bothKernels {
		return engine.Kernels()
	}
	return []engine.Kernel{engine.Kernel(o.Kernel)}
}

// hasKernel reports whether the run has the kernel.
func (o *options) hasKernel(k engine.Kernel) bool { return slices.Contains(o.kernels(), k) }

// strategyOf returns the name of the kernel's strategy: the last value of -strategy for
// this kernel or for all.
func (o *options) strategyOf(k engine.Kernel) string {
	name := defaultStrategy
	for _, value := range o.Strategy {
		kernel, own, ok := strings.Cut(value, ":")
		switch {
		case !ok:
			name = value
		case kernel == string(k):
			name = own
		}
	}
	return name
}

// distancesToCheck returns the name of the file of -check-distances or its default.
func (o *options) distancesToCheck() string {
	return cmp.Or(o.CheckDistances, strings.TrimSuffix(o.CheckParents, ".i64")+".f32")
}

// usageError is an error in the command line.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// parseFlags parses the command line, whose first element is the program's name, and the environment. It
// checks everything that can be checked without reading a file. Errors are of type
// usageError.
func parseFlags(args []string, lookup func(string) (string, bool), c catalogue) (*options, error) {
	reference, args := asReference(args)
	scratch := newParser(new(options))
	rest, err := scratch.ParseArgs(doubleDashes(scratch, args[1:]))
	if err != nil {
		return nil, flagError(err)
	}
	asFlags, err := positional(scratch, rest)
	if err != nil {
		return nil, err
	}
	o := &options{catalogue: c}
	p := newParser(o)
	if reference != "" {
		p.FindOptionByLongName("kernel").Default = []string{referencePrograms[reference]}
	}
	if _, err := p.ParseArgs(doubleDashes(p, append(asFlags, args[1:]...))); err != nil {
		return nil, flagError(err)
	}
	if o.Help {
		return o, nil
	}
	if reference != "" && !isGiven(p, "scale") && !o.Version {
		return nil, usagef("%s needs a scale: %s SCALE [EDGEFACTOR]", reference, reference)
	}
	if _, set := lookup("SKIP_BFS"); set && !isGiven(p, "kernel") && (reference == "" || o.Kernel == bothKernels) {
		o.Kernel = string(engine.SSSP)
	}
	if err := o.check(p); err != nil {
		return nil, err
	}
	if _, set := lookup("SKIP_VALIDATION"); set && o.CheckParents == "" {
		o.SkipValidation = true
	}
	// A flag for the source or destination of the tuples overrides TMPFILE.
	if name, _ := lookup("TMPFILE"); o.Graph == "" && o.ReadEdges == "" && o.WriteEdges == "" {
		o.tempFile = name
		_, o.reuseTempFile = lookup("REUSEFILE")
		if o.reuseTempFile && strings.ToLower(filepath.Ext(name)) == ".zst" {
			return nil, usagef("TMPFILE: %s would be compressed, and REUSEFILE goes by the size: choose a name without .zst", name)
		}
	}
	return o, nil
}

// newParser returns a parser for the struct o, whose tags describe the flags.
func newParser(o any) *flags.Parser {
	p := flags.NewNamedParser("graph500", flags.PassDoubleDash)
	if _, err := p.AddGroup("Options", "", o); err != nil {
		panic(err) // the struct tags above are wrong
	}
	p.Usage = "[flags] [SCALE [EDGEFACTOR]]"
	p.UnknownOptionHandler = func(name string, _ flags.SplitArgument, _ []string) ([]string, error) {
		return nil, usagef("unknown flag -%s%s; -help lists all", name, suggestion(name, "-", flagNames(p)))
	}
	return p
}

// flagNames lists the long names in the order of the help.
func flagNames(p *flags.Parser) []string {
	var names []string
	var collect func(groups []*flags.Group)
	collect = func(groups []*flags.Group) {
		for _, g := range groups {
			for _, option := range g.Options() {
				names = append(names, option.LongName)
			}
			collect(g.Groups())
		}
	}
	collect(p.Groups())
	return names
}

// doubleDashes adds a second dash to arguments such as -scale=24, which go-flags would
// parse as a bundle of one-letter flags. A name that is both a long flag and a bundle
// is the long flag. An unknown name gets the dash too, so that the error contains the
// whole name.
func doubleDashes(p *flags.Parser, args []string) []string {
	out := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		if body, ok := strings.CutPrefix(arg, "-"); ok && !strings.HasPrefix(body, "-") {
			name, _, _ := strings.Cut(body, "=")
			_, err := strconv.ParseFloat(arg, 64)
			if len(name) > 1 && err != nil && (p.FindOptionByLongName(name) != nil || !isBundle(p, name)) {
				arg = "-" + arg
			}
		}
		out = append(out, arg)
	}
	return out
}

// isBundle reports whether every letter of name is a one-letter flag. A number may
// follow the last one.
func isBundle(p *flags.Parser, name string) bool {
	for _, letter := range strings.TrimRight(name, "0123456789") {
		if p.FindOptionByShortName(letter) == nil {
			return false
		}
	}
	return true
}

var (
	flagInMessage  = regexp.MustCompile("`(?:-(.), )?(?:--?)([^']+)'")
	valueInMessage = regexp.MustCompile(`parsing ("(?:[^"\\]|\\.)*")`)
)

// flagError converts an error of go-flags to one line that names the flag with one
// dash.
func flagError(err error) error {
	var wrong *flags.Error
	name := flagInMessage.FindStringSubmatch(err.Error())
	if !errors.As(err, &wrong) || name == nil {
		return usageError{strings.NewReplacer("`", "", "'", "").Replace(err.Error())}
	}
	flag := "flag -" + name[2]
	switch wrong.Type {
	case flags.ErrExpectedArgument:
		return usagef("%s needs a value", flag)
	case flags.ErrNoArgumentForBool:
		return usagef("%s takes no value", flag)
	case flags.ErrMarshal:
		if value := valueInMessage.FindStringSubmatch(wrong.Message); value != nil {
			if strings.HasSuffix(wrong.Message, strconv.ErrRange.Error()) {
				return usagef("%s: %s is out of range", flag, value[1])
			}
			kind := "a whole number"
			if strings.Contains(wrong.Message, "(expected uint") {
				kind += " of at least 0"
			}
			return usagef("%s: %s is not %s", flag, value[1], kind)
		}
		if _, why, ok := strings.Cut(wrong.Message, "): "); ok { // error of a type of this package
			return usagef("%s: %s", flag, why)
		}
	}
	return usagef("%s: %s", flag, wrong.Message)
}

// unexpectedArgument returns the error for an argument that belongs to no flag.
func unexpectedArgument(arg string) error {
	return usagef("unexpected argument %q: all but SCALE [EDGEFACTOR] and a command (%s), which comes first, is given with flags, see -help", arg, strings.Join(commandNames(), ", "))
}
