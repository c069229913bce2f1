package commandline

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jessevdk/go-flags"

	"graph500/graph500/output"
	"graph500/graph500/testinput"
)

func TestFlagsAreReadTheWayPeopleTypeThem(t *testing.T) {
	scale := func(n int) func(*Options) bool { return func(o *Options) bool { return o.Scale == n } }
	verbose := func(n int) func(*Options) bool { return func(o *Options) bool { return len(o.Verbose) == n } }
	for _, c := range []struct {
		args string
		want func(*Options) bool
	}{
		{"", scale(16)},
		{"-scale=24", scale(24)},
		{"-scale 24", scale(24)},
		{"--scale=24", scale(24)},
		{"--scale 24", scale(24)},
		{"-s 24", scale(24)},
		{"-s=24", scale(24)},
		{"-s24", scale(24)},
		{"-scale=010", scale(10)},
		{"-scale=20 -scale=24", scale(24)},
		{"", verbose(0)},
		{"-v", verbose(1)},
		{"-verbose", verbose(1)},
		{"-vvv", verbose(3)},
		{"-v -v", verbose(2)},
		{"-v --verbose -verbose", verbose(3)},
		{"-help", func(o *Options) bool { return o.Help == CommonHelp }},
		{"-help=all", func(o *Options) bool { return o.Help == wholeHelp }},
		{"-h", func(o *Options) bool { return o.Help == CommonHelp }},
		{"--help", func(o *Options) bool { return o.Help == CommonHelp }},
		{"-vh", func(o *Options) bool { return o.Help == CommonHelp && len(o.Verbose) == 1 }},
		{"-version", func(o *Options) bool { return o.Version }}, // not -v -e ...
		{"-root=5 -root 0", func(o *Options) bool { return cmp.Equal(o.Root, []int64{5, 0}) }},
		{"-graph=-strange-name.txt", func(o *Options) bool { return o.Graph == "-strange-name.txt" }},
		{"-out=a=b", func(o *Options) bool { return o.Out == "a=b" }},
		{"-seed1=18446744073709551615 -seed2=0", func(o *Options) bool { return o.Seed1 == 1<<64-1 && o.Seed2 == 0 }},
		{"-gpus=2", func(o *Options) bool { return o.GPUs == 2 && o.RequiresGPU }},
		{"-exchange=host", func(o *Options) bool { return o.Exchange == "host" }},
		{"-gpus=all", func(o *Options) bool { return o.GPUs == AllGPUs && o.RequiresGPU }},
		{"-gpus=1 -kernel=both", func(o *Options) bool { return o.GPUs == 1 }},
		{"-scale=8", func(o *Options) bool { return o.LabelBits == 32 && !o.Wide() }},
		{"-label-bits=48 -kernel=both", func(o *Options) bool { return o.Wide() }},
		{"-label-bits=48 -gpus=2", func(o *Options) bool { return o.Wide() && o.GPUs == 2 }},
		{"-residency=prefix -kernel=both", func(o *Options) bool { return o.Residency == "prefix" }},
		{"-residency=prefix -gpus=2 -kernel=both", func(o *Options) bool { return o.Residency == "prefix" }},
		{"-residency=prefix -gpus=2", func(o *Options) bool { return o.Residency == "prefix" && o.GPUs == 2 }},
		{"-residency=prefix -kernel=sssp", func(o *Options) bool { return o.Residency == "prefix" }},
		{"-strategy=help", func(o *Options) bool { return o.ListsStrategies() }},
		{"-scale=4 --", scale(4)},
		{"-edgefactor=3 -roots=100 -threads=5 -engine=cpu -progress=never -format=json", func(o *Options) bool {
			return o.EdgeFactor == 3 && o.Roots == 100 && o.Threads == 5 && o.Engine == "cpu" && o.Progress == "never" && o.Format == "json"
		}},
	} {
		o, err := ParseFlags(testinput.CommandLine(strings.Fields(c.args)), testinput.Environment(), testinput.Strategies())
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
		} else if !c.want(o) {
			t.Errorf("%q gives %+v", c.args, o)
		}
	}
}

func TestWrongFlagsAreRefusedInOneLine(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-version -scale=99", "flag -scale: 99 is not in 1..31"}, // run.sh checks flags in this way
		{"-unknown", "unknown flag -unknown; -help lists all"},
		{"-foo", "unknown flag -foo; -help lists all"},
		{"-xscale-factor", "unknown flag -xscale-factor; -help lists all"},
		{"-sclae=24", "unknown flag -sclae, the nearest is -scale; -help lists all"},
		{"-skale=24", "unknown flag -skale, the nearest is -scale"},
		{"--skale=24", "unknown flag -skale, the nearest is -scale"},
		{"-edge-factor=3", "unknown flag -edge-factor, the nearest is -edgefactor"},
		{"-writeparents=x", "unknown flag -writeparents, the nearest is -write-parents"},
		{"-v2", "unknown flag -v2; "},
		{"-vx", "unknown flag -vx; "},
		{"-x", "unknown flag -x; "},
		{"-55", "unknown flag -55; "},
		{"-", `unexpected argument "-"`},
		{"24 16", `unexpected argument "24": the scale is given with a flag, as in -scale=20`},
		{"-scale=4 -- -scale=5", `unexpected argument "-scale=5"`},
		{"-scale=4 file.txt", `unexpected argument "file.txt"`},
		{"-scale", "flag -scale needs a value"},
		{"-scale -v", "flag -scale needs a value"},
		{"-out -scale=4", "flag -out needs a value"},
		{"-out --", "flag -out needs a value"},
		{"-exchange=ncl", `flag -exchange: there is no "ncl", the nearest is nccl; all are auto, peer, nccl, host`},
		{"-exchange=host -engine=cpu", "flags -exchange and -engine=cpu contradict each other: it is about a GPU"},
		{"-scale=", `flag -scale: "" is not a whole number`},
		{"-scale=x", `flag -scale: "x" is not a whole number`},
		{"-scale=0x10", `flag -scale: "0x10" is not a whole number`},
		{"-scale=20.5", `flag -scale: "20.5" is not a whole number`},
		{"-scale=99999999999999999999", `flag -scale: "99999999999999999999" is out of range`},
		{"-seed1=-1", `flag -seed1: "-1" is not a whole number of at least 0`},
		{"-scale=0", "flag -scale: 0 is not in 1..31"},
		{"-scale=32", "flag -scale: 32 is not in 1..31"},
		{"-scale=-3", "flag -scale: -3 is not in 1..31"},
		{"-scale -3", "flag -scale: -3 is not in 1..31"},
		{"-scale=20,20", "flag -scale: 20,20 has the scale 20 twice"},
		{"-scale=20:22,22", "flag -scale: 20:22,22 has the scale 22 twice"},
		{"-scale=20,22,21", "flag -scale: 20,22,21 goes down from 22 to 21: give rising scales"},
		{"-scale=28:20:2", "flag -scale: 28:20:2 goes down from 28 to 20: give rising scales"},
		{"-scale=20:28:0", "flag -scale: 20:28:0 has the step 0, which is not above 0"},
		{"-scale=20:28:-2", "flag -scale: 20:28:-2 has the step -2, which is not above 0"},
		{"-scale=1:2:3:4", `flag -scale: "1:2:3:4" is not FIRST:LAST:STEP`},
		{"-scale=20,", `flag -scale: "" is not a whole number`},
		{"-scale=20:", `flag -scale: "" is not a whole number`},
		{"-scale=20,2x", `flag -scale: "2x" is not a whole number`},
		{"-scale=20,99", "flag -scale: 20,99 is not in 1..31"},
		{"-scale=0:5", "flag -scale: 0,5 is not in 1..31"},
		{"-scale=1:9223372036854775807", "flag -scale: 1,9223372036854775807 is not in 1..31"},
		{"-scale=-9223372036854775808:9223372036854775807", "flag -scale: -9223372036854775808,9223372036854775807 is not in 1..31"},
		{"-scale=20,22 -graph=x", "flags -graph and -scale contradict each other"},
		{"-scale=20,22 -read-edges=x", "flags -scale=20,22 and -read-edges contradict each other"},
		{"-scale=20,22 -write-edges=x", "flags -scale=20,22 and -write-edges contradict each other"},
		{"-scale=20,22 -write-parents=x", "flags -scale=20,22 and -write-parents contradict each other"},
		{"-scale=20,22 -check-parents=x -root=1", "flags -scale=20,22 and -check-parents contradict each other"},
		{"-scale=3,5 -root=8", "flag -root: the graph has no vertex 8, they are 0..7"},
		{"-edgefactor=0", "flag -edgefactor: 0 is not in 1.."},
		{"-edgefactor=1048577", "flag -edgefactor: 1048577 is not in 1..1048576"},
		{"-roots=0", "flag -roots: 0 is not in 1.."},
		{"-gpu-memory=", `flag -gpu-memory: "" is no size such as 16GiB`},
		{"-gpu-memory=much", `flag -gpu-memory: "much" is no size such as 16GiB`},
		{"-gpu-memory=0", "flag -gpu-memory: 0B is not in 1MiB..1PiB"},
		{"-gpu-memory=2PiB", "flag -gpu-memory: 2PiB is not in 1MiB..1PiB"},
		{"-gpu-memory=-1GiB", `flag -gpu-memory: "-1GiB" is no size such as 16GiB`},
		{"-gpu-memory=1e30", `flag -gpu-memory: "1e30" is no size such as 16GiB`},
		{"-gpu-memory=8GiB -engine=cpu", "flags -gpu-memory and -engine=cpu contradict each other"},
		{"-roots=-55", "flag -roots: -55 is not in 1.."},
		{"-roots -55", "flag -roots: -55 is not in 1.."},
		{"-threads=-1", "flag -threads: -1 is not in 0..4096"},
		{"-threads=4097", "flag -threads: 4097 is not in 0..4096"},
		{"-scale=4 -root=16", "flag -root: the graph has no vertex 16, they are 0..15"},
		{"-scale=4 -root=-1", "flag -root: the graph has no vertex -1, they are 0..15"},
		{"-graph=x -root=4294967295", "flag -root: the graph has no vertex 4294967295"},
		{"-root=a", `flag -root: "a" is not a whole number`},
		{"-memory=true", "flag -memory takes no value"},
		{"-v=2", "flag -verbose takes no value"},
		{"-out=", "flag -out: the name is empty"},
		{"-graph=", "flag -graph: the name is empty"},
		{"-engine=cpi", `flag -engine: there is no "cpi", the nearest is cpu`},
		{"-engine=cpu -device=0", "flags -device and -engine=cpu contradict each other"},
		{"-engine=cpu -check-engine", "flags -check-engine and -engine=cpu contradict each other"},
		{"-device=-1", "flag -device: -1 is not in 0..1023"},
		{"-gpus=0", `flag -gpus: "0" is no number of GPUs, nor all`},
		{"-gpus=x", `flag -gpus: "x" is no number of GPUs, nor all`},
		{"-gpus=", `flag -gpus: "" is no number of GPUs, nor all`},
		{"-gpus=17", "flag -gpus: 17 is not in 1..16"},
		{"-gpus=2 -engine=cpu", "flags -gpus and -engine=cpu contradict each other"},
		{"-gpus=all -engine=cpu", "flags -gpus and -engine=cpu contradict each other"},
		{"-gpus=2 -kernel=sssp -strategy=delta-stepping", "flag -gpus: strategy delta-stepping runs on one GPU only"},
		{"-gpus=all -kernel=both -strategy=sssp:near-far", "flag -gpus: strategy near-far runs on one GPU only"},
		{"-gpus=2 -strategy=push", "flag -gpus: strategy push runs on one GPU only"},
		{"-label-bits=40", "flag -label-bits: 40 is not in 32 or 48"},
		{"-label-bits=64", "flag -label-bits: 64 is not in 32 or 48"},
		{"-label-bits=-48", "flag -label-bits: -48 is not in 32 or 48"},
		{"-label-bits=wide", `flag -label-bits: "wide" is not a whole number`},
		{"-label-bits=", `flag -label-bits: "" is not a whole number`},
		{"-residency=zero", `flag -residency: there is no "zero"`},
		{"-residency=subgraph -engine=cpu", "flags -residency and -engine=cpu contradict each other"},
		{"-residency=zero-copy -kernel=sssp", "flag -residency=zero-copy: it is for bfs only"},
		{"-residency=zero-copy -kernel=both", "flag -residency=zero-copy: it is for bfs only"},
		{"-residency=subgraph -strategy=push", "flag -residency=subgraph: strategy push needs"},
		{"-residency=partition -gpus=2", "flag -residency=partition: it is for one GPU only"},
		{"-residency=prefix -gpus=2 -exchange=host", "flags -residency=prefix and -exchange=host contradict each other"},
		{"-check-parents=x -root=1 -check-engine", "flags -check-parents and -check-engine contradict each other"},
		{"-residency=prefix -kernel=both -strategy=sssp:dijkstra", "flag -residency=prefix: strategy dijkstra needs"},
		{"-residency=prefix -strategy=push", "flag -residency=prefix: strategy push needs all neighbours in the memory of the GPU"},
		{"-residency=prefix -kernel=sssp -strategy=dijkstra", "flag -residency=prefix: strategy dijkstra needs all neighbours in the memory of the GPU"},
		{"-strategy=pul", `flag -strategy: there is no "pul" for bfs, the nearest is pull; all are push, pull, default`},
		{"-strategy=", `flag -strategy: there is no "" for bfs; all are `},
		{"-format=jsn", `flag -format: there is no "jsn", the nearest is json`},
		{"-progress=no", `flag -progress: there is no "no"; all are auto, `},
		{"-progress=nevr", `flag -progress: there is no "nevr", the nearest is never; all are auto, `},
		{"-graph=x -scale=16", "flags -graph and -scale contradict each other"}, // the default, but typed
		{"-graph=x -edgefactor=4", "flags -graph and -edgefactor contradict each other"},
		{"-graph=x -read-edges=y", "flags -graph and -read-edges contradict each other"},
		{"-root=1 -roots=1", "flags -root and -roots contradict each other"},
		{"-check-parents=x", "flag -check-parents: give the root of the tree with exactly one -root"},
		{"-check-parents=x -root=1 -root=2", "flag -check-parents: give the root of the tree with exactly one -root"},
		{"-kernel=bsf", `flag -kernel: there is no "bsf", the nearest is bfs; all are bfs, sssp, both`},
		{"-kernel=", `flag -kernel: there is no ""`},
		{"-kernel=sssp -strategy=push", "flag -strategy: push is a strategy of bfs, not of sssp, which has dijkstra, delta-stepping, default"},
		{"-strategy=dijkstra", "flag -strategy: dijkstra is a strategy of sssp, not of bfs, which has push, pull, default"},
		{"-strategy=sssp:dijkstra", "flag -strategy: sssp:dijkstra is for the kernel sssp, and this run has -kernel=bfs"},
		{"-kernel=both -strategy=dijkstra", "flag -strategy: dijkstra is a strategy of sssp, not of bfs"},
		{"-kernel=both -strategy=push", "flag -strategy: push is a strategy of bfs, not of sssp"},
		{"-kernel=both -strategy=bfs:push -strategy=sssp:pull", "flag -strategy: pull is a strategy of bfs, not of sssp"},
		{"-kernel=both -strategy=sssp:dijkstr", `flag -strategy: there is no "dijkstr" for sssp, the nearest is dijkstra`},
		{"-kernel=both -strategy=both:default", `flag -strategy: "both:default" does not begin with a kernel`},
		{"-strategy=dfs:push", `flag -strategy: "dfs:push" does not begin with a kernel`},
		{"-delta=0", "flag -delta: 0 is not in 1e-45..3.4e+38"},
		{"-delta=1_0", `flag -delta: "1_0" is not a number`},
		{"-delta=0x1p4", `flag -delta: "0x1p4" is not a number`},
		{"-gpu-memory=1_0GiB", `flag -gpu-memory: "1_0GiB" is no size such as 16GiB`},
		{"-delta=-0.5", "flag -delta: -0.5 is not in "},
		{"-delta=NaN", "flag -delta: NaN is not in "},
		{"-delta=Inf", "flag -delta: +Inf is not in "},
		{"-delta=1e39", "flag -delta: 1e+39 is not in 1e-45..3.4e+38"},
		{"-delta=1e-50", "flag -delta: 1e-50 is not in "},
		{"-delta=x", `flag -delta: "x" is not a number`},
		{"-check-distances=x", "flag -check-distances: name the parents too, with -check-parents"},
		{"-check-parents=x -root=1 -check-distances=y", "flag -check-distances: only -kernel=sssp has distances"},
		{"-check-parents=x -root=1 -check-distances=", "flag -check-distances: the name is empty"},
		{"-check-parents=x -root=1 -kernel=both", "flag -check-parents: a parents file belongs to one kernel"},
		{"-check-parents=x -root=1 -kernel=sssp", "flag -check-parents: x does not end in .i64, name the file of the distances with -check-distances"},
		{"-check-parents=x -root=1 -out=y", "flags -check-parents and -out contradict each other"},
		{"-check-parents=x -root=1 -skip-validation", "flags -check-parents and -skip-validation contradict each other"},
		{"-check-parents=x -root=1 -energy", "flags -check-parents and -energy contradict each other"},
		{"-repeat-for=0", "flag -repeat-for: 0s is not in 1ms..168h"},
		{"-repeat-for=8760h", "flag -repeat-for: 8760h is not in 1ms..168h"},
		{"-repeat-for=-3m", "flag -repeat-for: -3m is not in 1ms..168h"},
		{"-repeat-for=10", `flag -repeat-for: "10" is no duration such as 30s or 5m`},
		{"-repeat-for=1y", `flag -repeat-for: "1y" is no duration such as 30s or 5m`},
	} {
		_, err := ParseFlags(testinput.CommandLine(strings.Fields(c.args)), testinput.Environment(), testinput.Strategies())
		var wrong usageError
		switch {
		case err == nil:
			t.Errorf("%q is accepted", c.args)
		case !strings.HasPrefix(err.Error(), c.want):
			t.Errorf("%q: %q, want %q", c.args, err, c.want)
		case strings.ContainsAny(err.Error(), "\n`"):
			t.Errorf("%q: %q is not one plain line", c.args, err)
		case !errors.As(err, &wrong) || output.ExitStatus(err) != 2:
			t.Errorf("%q: status %d", c.args, output.ExitStatus(err))
		}
	}
}

func TestEnvironmentOfTheReference(t *testing.T) {
	for _, c := range []struct {
		args      string
		variables []string
		skip      bool
		temp      string
		reuse     bool
	}{
		{"", nil, false, "", false},
		{"", []string{"SKIP_VALIDATION=1"}, true, "", false},
		{"", []string{"SKIP_VALIDATION="}, true, "", false},
		{"", []string{"SKIP_VALIDATION=no"}, true, "", false},
		{"-root=1 -check-parents=x", []string{"SKIP_VALIDATION="}, false, "", false},
		{"", []string{"TMPFILE=t"}, false, "t", false},
		{"", []string{"TMPFILE=t", "REUSEFILE="}, false, "t", true},
		{"", []string{"REUSEFILE=1"}, false, "", true},
		{"-read-edges=x", []string{"TMPFILE=t", "REUSEFILE="}, false, "", false},
		{"-write-edges=x", []string{"TMPFILE=t"}, false, "", false},
		{"-graph=x", []string{"TMPFILE=t"}, false, "", false},
	} {
		o, err := ParseFlags(testinput.CommandLine(strings.Fields(c.args)), testinput.Environment(c.variables...), testinput.Strategies())
		if err != nil {
			t.Errorf("%q %v: %v", c.args, c.variables, err)
		} else if o.SkipValidation != c.skip || o.TempFile != c.temp || o.ReuseTempFile != c.reuse {
			t.Errorf("%q %v: skip %v, temporary file %q, reuse %v", c.args, c.variables, o.SkipValidation, o.TempFile, o.ReuseTempFile)
		}
	}
	if _, err := ParseFlags(testinput.CommandLine(nil), testinput.Environment("TMPFILE=t.ZST", "REUSEFILE="), testinput.Strategies()); err == nil || !strings.HasPrefix(err.Error(), "TMPFILE: t.ZST would be compressed") || output.ExitStatus(err) != 2 {
		t.Errorf("a compressed TMPFILE: %v", err)
	}
}

func TestHelpNamesEveryFlagWithOneDash(t *testing.T) {
	text, common := HelpText(wholeHelp, nil), HelpText(CommonHelp, nil)
	for _, option := range NewRunParser(new(Options)).options() {
		if !strings.Contains(text, " -"+option.LongName) {
			t.Errorf("-%s is missing", option.LongName)
		}
		if seldom := option.Field().Tag.Get("seldom") != ""; strings.Contains(common, "  -"+option.LongName+"=") == seldom && option.ValueName != "" && option.ShortName == 0 {
			t.Errorf("-%s in the help of the common flags", option.LongName)
		}
	}
	for _, want := range []string{"(default: 16)", "Examples:", "SKIP_VALIDATION", "SKIP_BFS", "Graph:", "Searches:"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for line := range strings.Lines(text + common) {
		if strings.Contains(line, "--") && !strings.Contains(line, "--scale=24") {
			t.Errorf("two dashes in %q", line)
		}
	}
	if n := strings.Count(common, "\n"); n > 100 {
		t.Errorf("the help of the common flags has %d lines", n)
	}
}

// Help and check have the same range for every numeric flag.
func TestRanges(t *testing.T) {
	text := strings.Join(strings.Fields(HelpText(wholeHelp, nil)), " ")
	for _, option := range NewRunParser(new(Options)).options() {
		name := option.LongName
		values := rangeOf(NewRunParser(new(Options)), option)
		if values == "" {
			continue
		}
		_, after, _ := strings.Cut(text, " -"+name+"=")
		said, _, _ := strings.Cut(after, " -")
		if !strings.Contains(said, "; "+values) {
			t.Errorf("the help of -%s does not say %s: %s", name, values, said)
		}
		least, most, isRange := strings.Cut(values, "..")
		if !isRange {
			least, most, _ = strings.Cut(values, " or ")
		}
		parse := func(value string) error {
			_, err := ParseFlags(testinput.CommandLine([]string{"-" + name + "=" + value}), testinput.Environment(), testinput.Strategies())
			return err
		}
		for _, bound := range []string{least, most} {
			if err := parse(bound); err != nil {
				t.Errorf("-%s=%s: %v", name, bound, err)
			}
		}
		for _, beyond := range []string{"-1", "1" + most} {
			if err := parse(beyond); err == nil || !strings.HasPrefix(err.Error(), "flag -"+name+": ") {
				t.Errorf("-%s=%s: %v", name, beyond, err)
			}
		}
	}
}

// rangeOf returns the range of a flag; empty for a flag that is not numeric. Every
// numeric flag except -root has one.
func rangeOf(p *Parser, option *flags.Option) string {
	if values, ok := p.ranges[option.LongName]; ok {
		return values.String()
	}
	if kind := option.Field().Type.Kind(); kind >= reflect.Int && kind <= reflect.Float64 {
		return "a range of the parser"
	}
	return ""
}

func TestNearest(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"scale", "scale"}, {"sclae", "scale"}, {"sacel", ""}, {"sca", ""}, {"scal", "scale"}, {"xroots", "roots"},
		{"rot", "root"}, {"edge-factor", "edgefactor"}, {"edgfctr", "edgefactor"}, {"edgfct", ""}, {"x", ""}, {"", ""},
	} {
		want := ""
		if c.want != "" {
			want = ", the nearest is -" + c.want
		}
		if got := Suggestion(c.name, "-", []string{"scale", "roots", "root", "edgefactor"}); got != want {
			t.Errorf("%q: %q, not %q", c.name, got, want)
		}
	}
	if got := Suggestion("", "", nil); got != "" {
		t.Errorf("without names: %q", got)
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"sclae", "scale", 1}, {"ca", "abc", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance of %q and %q is %d, not %d", c.a, c.b, got, c.want)
		}
	}
}

func FuzzFlags(f *testing.F) {
	for _, seed := range []string{"-scale=24", "-s 4", "-vvv", "--", "-", "-root=-1", "-out=\"x", "-graph=`'"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		_, err := ParseFlags(testinput.CommandLine(strings.Split(line, " ")), testinput.Environment(), testinput.Strategies())
		var wrong usageError
		if err != nil && !errors.As(err, &wrong) {
			t.Errorf("%q: %v is no usage error", line, err)
		}
	})
}
