// Package commandline is the command line: the flags of a run are declared here (flags.go), with the
// values that they take (ranges.go), parsed (parser.go), and checked, first by themselves (check.go),
// then with the files that they name (paths.go). From their declarations it writes the help, the
// manual page and the completions of shells. It is the only package that knows go-flags; it does
// not know what a command does, or what a run does with its flags.
package commandline

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"graph500/engine"
	"graph500/graph"
	"graph500/kronecker"
)

// Options are the checked settings of command line and environment.
type Options struct {
	InputFlags  `group:"Graph"`
	SearchFlags `group:"Searches"`
	FileFlags   `group:"Files"`
	OutputFlags `group:"Output"`

	Catalogue     Catalogue
	DeltaGiven    bool      // -delta is given
	ThreadsGiven  bool      // -threads is given
	DeviceGiven   bool      // -device is given
	RequiresGPU   bool      // -device or -gpus is given: only the GPU engine can run
	TempFile      string    // TMPFILE: holds the edges during the run
	Edges         EdgeFiles // see findEdgeFiles
	ReuseTempFile bool      // REUSEFILE: tempFile can exist before the run and is not removed
}

// InputFlags choose the graph.
type InputFlags struct {
	Scales     Scales `long:"scale" short:"s" default:"16" value-name:"N" description:"log2 of the number of vertices; several, such as 20,22,24 or 20:28:2 (FIRST:LAST:STEP), are run one after the other" detail:"each scale of several has a directory scale-NN for its results"`
	Scale      int    // of the run
	EdgeFactor int    `long:"edgefactor" base:"10" default:"16" value-name:"N" description:"input tuples for each vertex; a conforming run has 16"`
	Seed1      uint64 `long:"seed1" seldom:"yes" base:"10" default:"2" value-name:"N" description:"first seed of the generator and of the search keys"`
	Seed2      uint64 `long:"seed2" seldom:"yes" base:"10" default:"3" value-name:"N" description:"second seed"`
	LabelBits  int    `long:"label-bits" base:"10" default:"32" value-name:"N" description:"bits of a vertex number: 32, or the 48 that a conforming run has" detail:"in the tuples and in the parents; 32 take less memory and time: with 48, tuples have 12 bytes instead of 8, parents 8 instead of 4"`
	Graph      string `long:"graph" value-name:"FILE" description:"search the graph of this file instead" detail:"an edge list (also of SNAP, KONECT, LDBC), Matrix Market, DIMACS, METIS, GAP (.sg, .wsg) or Galois (.gr), plain, compressed (gzip, zstd, bzip2) or in an archive (tar, zip); taken as undirected"`
	Renumber   bool   `long:"renumber" seldom:"yes" description:"the vertices of the edge list of -graph are words or numbers with gaps: number them by appearance; names.txt beside the results holds their names"`
	ReadEdges  string `long:"read-edges" seldom:"yes" value-name:"FILE" description:"read the tuples from a packed edge file of this scale and edgefactor (compressed too) instead of generating them; for sssp also the weights, from FILE.weights beside it (FILE.weights.zst beside FILE.zst)"`
	Weights    string `long:"weights" seldom:"yes" default:"auto" value-name:"NAME" description:"weights for sssp on a loaded graph: file (of the file, which must have some), integer (the same, whole numbers; distances of 64 bits, exact; on the cores of one process), unit (1 each), drawn (as generated), ignore (as if the file had none: drawn) or auto: of the file, or drawn if that of -graph has none"`
}

// SearchFlags choose kernels, engine, strategies and searches.
type SearchFlags struct {
	Kernel         string   `long:"kernel" default:"bfs" value-name:"NAME" description:"bfs (breadth-first search, kernel 2), sssp (single-source shortest paths, kernel 3) or both (first bfs, then sssp on the same graph)" detail:"SKIP_BFS set in the environment chooses sssp, too"`
	Engine         string   `long:"engine" default:"auto" value-name:"NAME" description:"search engine: cpu, gpu, or auto (gpu if there is a usable GPU, else cpu)"`
	Device         int      `long:"device" base:"10" default:"0" value-name:"N" description:"number of the GPU, from 0" detail:"among those of CUDA_VISIBLE_DEVICES; if given, the run fails without a GPU. Without it, ranks take different GPUs; with it, all ranks take this one"`
	GPUs           gpuCount `long:"gpus" default:"1" value-name:"N" description:"number of GPUs that search together, or all" detail:"by the default strategies, on the chosen GPU and those after it. With ranks, the number of each rank"`
	Exchange       string   `long:"exchange" seldom:"yes" default:"auto" value-name:"NAME" description:"how GPUs that search together get data of each other: peer (each accesses the memory of the others), nccl (NCCL, between hosts too), host (through the memory of the hosts, with MPI between ranks) or auto: peer if the GPUs can, else nccl if that works, else host"`
	GPUMemory      size     `long:"gpu-memory" seldom:"yes" value-name:"SIZE" description:"take at most this amount of the memory of each GPU, such as 16GiB; default: all that is free"`
	Residency      string   `long:"residency" seldom:"yes" default:"auto" value-name:"NAME" description:"where the GPU engine keeps the neighbours of the graph: resident (in the memory of the GPU), prefix (the first ones of each vertex there, the lightest for sssp, as many as fit, the others in page-locked host memory; by the default strategies; over ranks for sssp only if they have one user and PID namespace) or auto (resident if that fits and bfs is not known to be faster with prefix, else prefix, else, for bfs on one GPU, zero-copy). For bfs by the default strategy on one GPU only, all in host memory: zero-copy (the GPU reads them there), subgraph (the host gathers those that a level needs), partition (partitions are copied as a whole) or managed (unified memory)"`
	Partition      string   `long:"partition" seldom:"yes" default:"ranges" value-name:"POLICY" description:"how ranks of the CPU engine share the graph: ranges (of vertices), or a policy of graph500 partition, such as contiguous-eb-source, contiguous-hybrid (bfs) or contiguous-cartesian (sssp), with a part for each rank"`
	Threads        int      `long:"threads" base:"10" default:"0" value-name:"N" description:"threads of the CPU engine and for reading files; 0: one for each processor" detail:"if not given, what the job grants (SLURM_CPUS_PER_TASK, NCPUS, PBS_NUM_PPN, OMP_NUM_THREADS)"`
	Strategy       []string `long:"strategy" default:"default" value-name:"NAME" description:"search strategy; 'help' lists them" detail:"with -kernel=both of both kernels; bfs:NAME or sssp:NAME: of that kernel; repeatable"`
	Delta          Decimal  `long:"delta" seldom:"yes" default:"0.1" value-name:"X" description:"width of the buckets of sssp strategies that need one, such as delta-stepping; the list of strategies marks them"`
	Roots          int      `long:"roots" base:"10" default:"64" value-name:"N" description:"number of searches; a conforming run has 64"`
	RootsFrom      string   `long:"roots-from" seldom:"yes" default:"all" value-name:"NAME" description:"sample the search keys of -graph from all vertices with an edge, or the largest component: all or largest"`
	Root           []int64  `long:"root" base:"10" value-name:"VERTEX" description:"search from this vertex instead of sampled ones; repeatable" detail:"0..N-1 for N vertices"`
	SkipValidation bool     `long:"skip-validation" description:"do not validate the searches" detail:"also: SKIP_VALIDATION set in the environment"`
	CheckParents   string   `long:"check-parents" seldom:"yes" value-name:"FILE" description:"validate this parents file of a search from the vertex of -root, and stop"`
	CheckDistances string   `long:"check-distances" seldom:"yes" value-name:"FILE" description:"distances for -check-parents=X.i64 with -kernel=sssp; default: X.f32, or X.u64"`
	CheckEngine    bool     `long:"check-engine" seldom:"yes" description:"compare every search of the GPU engine with one of the CPU engine: depth of every vertex (bfs), bits of every distance (sssp)"`
	Energy         bool     `long:"energy" description:"measure the energy of GPU and processors" detail:"of the GPU (NVML) and of the processor packages (powercap) for each phase and for the searches of each kernel; warns of what cannot be measured"`
	RepeatFor      duration `long:"repeat-for" seldom:"yes" value-name:"DURATION" description:"repeat the searches of each kernel after the timed ones for this long, such as 30s or 5m, for meters of energy; prints when that begins and ends"`
	Timeout        duration `long:"timeout" value-name:"DURATION" description:"stop the run after this long, such as 30m" detail:"one line with the phase, status 124; searches done before are kept in result.json"`
	SearchTimeout  duration `long:"search-timeout" seldom:"yes" value-name:"DURATION" description:"stop the run in the same way if a search takes longer than this, such as 1m, also if it hangs"`
	Memory         bool     `long:"memory" description:"print the memory plan and whether it fits, and stop"`
}

// FileFlags name the files to write.
type FileFlags struct {
	WriteEdges   string `long:"write-edges" seldom:"yes" value-name:"FILE" description:"write the tuples to a packed edge file (.zst: compressed, by one process only), and the weights for sssp to a file beside it; -read-edges takes those of generated graphs"`
	WriteParents string `long:"write-parents" seldom:"yes" value-name:"DIR" description:"write one parents file for each search, DIR/<index>-<root>.i64, for sssp DIR/sssp/<index>-<root>.i64 and the distances in .f32 or, with -weights=integer, .u64; there must not be such files"`
	Out          string `long:"out" value-name:"DIR" description:"write the report in every format into this directory"`
}

// OutputFlags choose what is printed.
type OutputFlags struct {
	Format   string   `long:"format" default:"official" value-name:"NAME" description:"format of standard output: official, json, csv or benchstat"`
	Progress string   `long:"progress" seldom:"yes" default:"auto" value-name:"WHEN" description:"progress on stderr: always, never, or auto (if stderr is a terminal)"`
	Verbose  []bool   `long:"verbose" short:"v" description:"print phases and the levels of the median search to stderr; twice: levels of every search"`
	Version  bool     `long:"version" description:"print version, commit, Go, CUDA and the checksum of the kernels, and stop" detail:"wrong flags are still an error"`
	Help     helpPart `long:"help" short:"h" optional:"yes" optional-value:"common" value-name:"all" description:"print this help and stop; -help=all: of every flag"`
}

// helpPart is the value of -help: which flags the help describes.
type helpPart string

// Values of -help.
const (
	CommonHelp = "common"
	wholeHelp  = "all"
)

// NewRunParser returns the parser for the flags of a run.
func NewRunParser(o *Options) *Parser {
	return NewParser("[flags]", o).
		Within("scale", AnyScale()).
		Within("edgefactor", interval[int]{1, 1 << 20}). // no overflow with the largest scale
		Within("label-bits", oneOf{32, engine.WideBits}).
		Within("seed1", interval[uint64]{0, math.MaxUint64}).
		Within("seed2", interval[uint64]{0, math.MaxUint64}).
		Within("device", interval[int]{0, 1023}).
		Within("gpus", orAll{interval[gpuCount]{1, 16}}). // 16: device.MostTogether
		Within("gpu-memory", interval[size]{1 << 20, 1 << 50}).
		Within("threads", interval[int]{0, 4096}).
		Within("delta", interval[Decimal]{1e-45, 3.4e38}). // finite and above 0 as a number of single precision
		Within("roots", interval[int]{1, 1 << 20}).
		Within("timeout", interval[duration]{duration(time.Millisecond), duration(30 * 24 * time.Hour)}).
		Within("search-timeout", interval[duration]{duration(time.Millisecond), duration(30 * 24 * time.Hour)}).
		Within("repeat-for", interval[duration]{duration(time.Millisecond), duration(7 * 24 * time.Hour)}).
		Choose("kernel", kernelNames()...).
		Choose("engine", engineNames()...).
		Choose("residency", residencyNames()...).
		Choose("exchange", exchangeNames()...).
		Choose("weights", weightsNames()...).
		Choose("roots-from", rootsFromAll, RootsFromLargest).
		Choose("format", formatNames()...).
		Choose("progress", "auto", "always", "never").
		Choose("help", CommonHelp, wholeHelp)
}

// Defaults returns the options of a command line without flags.
func Defaults() *Options {
	o := new(Options)
	if _, err := NewRunParser(o).Parse(nil); err != nil {
		panic(err) // a default in the tags above is wrong
	}
	o.Scale = o.Scales[0]
	return o
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

// Kernels lists the kernels of the run in order.
func (o *Options) Kernels() []engine.Kernel {
	if o.Kernel == bothKernels {
		return engine.Kernels()
	}
	return []engine.Kernel{engine.Kernel(o.Kernel)}
}

// HasKernel reports whether the run has the kernel.
func (o *Options) HasKernel(k engine.Kernel) bool { return slices.Contains(o.Kernels(), k) }

// StrategyOf returns the name of the kernel's strategy: the last value of -strategy for
// this kernel or for all.
func (o *Options) StrategyOf(k engine.Kernel) string {
	name := DefaultStrategy
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

// DistancesToCheck returns the name of the file of -check-distances or its default.
func (o *Options) DistancesToCheck() string {
	extension := graph.FloatDistances
	if o.Integers() {
		extension = graph.IntegerDistances
	}
	return cmp.Or(o.CheckDistances, strings.TrimSuffix(o.CheckParents, ".i64")+extension)
}

// DeltaOf returns the width of the strategy's buckets, or 0 if it does not use -delta.
func (o *Options) DeltaOf(s engine.Strategy) float32 {
	if !s.UsesDelta {
		return 0
	}
	return float32(o.Delta)
}

// GeneratorSpec describes the graph to generate or the graph of an edge file.
func (o *Options) GeneratorSpec() kronecker.Spec {
	return kronecker.Spec{Scale: o.Scale, EdgeFactor: o.EdgeFactor, Seed1: o.Seed1, Seed2: o.Seed2}
}

// ParseFlags parses the command line, whose first element is the program's name, and the environment. It
// checks everything that can be checked without reading a file. Errors are of type
// usageError.
func ParseFlags(args []string, lookup func(string) (string, bool), c Catalogue) (*Options, error) {
	reference, args := AsReference(args)
	args = args[1:]
	if reference != "" {
		var err error
		if args, err = withoutPositional(args); err != nil {
			return nil, err
		}
	}
	o := &Options{Catalogue: c}
	p := NewRunParser(o)
	if reference != "" {
		p.Standard("kernel", referenceKernels(reference))
	}
	rest, err := p.Parse(args)
	switch {
	case err != nil:
		return nil, err
	case len(rest) > 0 && reference == "":
		return nil, UnexpectedArgument(rest[0])
	case o.Help != "":
		return o, nil
	case reference != "" && !p.Given("scale") && !o.Version:
		return nil, Usagef("%s needs a scale: %s SCALE [EDGEFACTOR]", reference, reference)
	}
	if _, set := lookup("SKIP_BFS"); set && !p.Given("kernel") && (reference == "" || o.Kernel == bothKernels) {
		o.Kernel = string(engine.SSSP)
	}
	if err := o.CheckFlags(p); err != nil {
		return nil, err
	}
	if _, set := lookup("SKIP_VALIDATION"); set && o.CheckParents == "" {
		o.SkipValidation = true
	}
	// A flag for the source or destination of the tuples overrides TMPFILE.
	if name, _ := lookup("TMPFILE"); o.Graph == "" && o.ReadEdges == "" && o.WriteEdges == "" {
		o.TempFile = name
		_, o.ReuseTempFile = lookup("REUSEFILE")
		if o.ReuseTempFile && strings.ToLower(filepath.Ext(name)) == ".zst" {
			return nil, Usagef("TMPFILE: %s would be compressed, and REUSEFILE goes by the size: choose a name without .zst", name)
		}
	}
	return o, nil
}

// UnexpectedArgument returns the error for an argument that belongs to no flag.
func UnexpectedArgument(arg string) error {
	if IsWhole(arg) {
		return Usagef("unexpected argument %q: the scale is given with a flag, as in -scale=20, and the edge factor with -edgefactor", arg)
	}
	return Usagef("unexpected argument %q: a command comes first, and all else is given with flags, see -help", arg)
}

// SettingVariables lists the environment variables that change what the program does.
func SettingVariables() []string {
	return []string{"SKIP_VALIDATION", "SKIP_BFS", "TMPFILE", "REUSEFILE"}
}
