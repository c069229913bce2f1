package commands

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"graph500/divide"
	"graph500/engine"
	"graph500/graph"
	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/graph500/run"
	"graph500/partition"
	"graph500/report"
)

// partitioning is the command "graph500 partition".
type partitioning struct {
	*commandline.Options
	PartitionFlags
	policies []partition.Policy
	masters  []uint8 // of -masters, by label; nil without
	parts    int
}

// PartitionFlags are the flags that a partitioning has in addition to those of a run.
type PartitionFlags struct {
	Policy    string `long:"policy" default:"contiguous-hybrid" value-name:"NAME,..." description:"policies: MASTERS-OWNER with MASTERS contiguous, contiguous-eb, fennel or fennel-eb and OWNER source, hybrid, cartesian or, in addition to those of CuSP, hdrf; the names of the paper eec, hvc, cvc, fec, gvc, svc; or all, the twelve of CuSP. With -masters: OWNER only"`
	Parts     int    `long:"parts" base:"10" default:"0" value-name:"P" description:"number of parts; default: that of the ranks, in one process 8"`
	Rounds    int    `long:"rounds" base:"10" default:"100" value-name:"N" description:"rounds in which fennel and fennel-eb choose masters"`
	Threshold uint64 `long:"threshold" base:"10" default:"1000" value-name:"N" description:"largest degree of a vertex that is not a hub, for hybrid and fennel-eb"`
	RowWeight uint64 `long:"row-weight" base:"10" default:"0" value-name:"N" description:"work of reading a vertex, to divide the reading"`
	ArcWeight uint64 `long:"arc-weight" base:"10" default:"1" value-name:"N" description:"work of reading an arc"`
	Masters   string `long:"masters" value-name:"FILE" description:"take the master of each vertex from a file of METIS (NAME.part.P) or another partitioner: one part in each line"`
	Check     string `long:"check" value-name:"DIR" description:"read the parts that -out has written, count every figure again, and stop"`
}

// defaultParts is the number of parts in one process.
const defaultParts = 8

const partitionIntroduction = `Divides a graph between parts by policies of CuSP, or by the masters in a file, and prints
what each division costs and how even it is. Nothing is searched. Over ranks, each has a part,
or several. -out writes the table in every format, a chart, and the parts of a single policy.

`

const partitionExample = `
Example:
  graph500 partition -scale=18 -parts=16 -policy=all
  graph500 partition -scale=16 -policy=hvc -out=parts
  graph500 partition -check=parts
`

// newPartition returns the command.
func newPartition() command {
	c := &partitioning{Options: &commandline.Options{Catalogue: commandline.NewCatalogue()}}
	flags := partitionParser(c)
	return command{
		Command: commandline.Command{
			Name: "partition", Arguments: "[flags]", Doc: "divides a graph between parts by policies of CuSP",
			Introduction: partitionIntroduction, Closing: partitionExample, Flags: flags,
		},
		overRanks: true,
		run: func(ctx context.Context, p *run.Process, rest []string) error {
			if len(rest) > 0 {
				return commandline.UnexpectedArgument(rest[0])
			}
			if c.Version {
				return output.PrintText(p.Stdout, run.VersionLine(p.Commit)+"\n")
			}
			if err := c.check(flags, p.World.Size()); err != nil {
				return err
			}
			return c.start(ctx, p)
		},
	}
}

// partitionParser returns the parser for the flags of a partitioning.
func partitionParser(c *partitioning) *commandline.Parser {
	p := commandline.NewRunParser(c.Options).Usage("partition [flags]").Add("Partition", &c.PartitionFlags).
		Within("parts", commandline.Between[int](1, partition.MostParts)).
		Within("rounds", commandline.Between[int](1, 1<<20)).
		Within("threshold", commandline.Between[uint64](0, math.MaxUint32)).
		Within("row-weight", commandline.Between[uint64](0, 1000)).
		Within("arc-weight", commandline.Between[uint64](0, 1000)).
		Describe("scale", "log2 of the number of vertices").
		Describe("graph", "divide this graph instead: Matrix Market (.mtx) or a text edge list, plain or compressed; taken as undirected").
		Describe("out", "write the table in every format and a chart into this directory, and the parts of a single policy: part-R.gr (Galois, version 1), part-R.labels (label of each of its rows) and vertices.part.P (METIS: the part of each vertex's master)").
		Standard("format", partitionFormatNames()[0]).
		Describe("format", "format of standard output: "+strings.Join(partitionFormatNames(), ", ")).
		Choose("format", partitionFormatNames()...)
	for _, flag := range []string{
		"kernel", "engine", "device", "gpus", "exchange", "gpu-memory", "residency", "strategy", "delta", "roots", "root",
		"skip-validation", "check-parents", "check-distances", "check-engine", "energy", "repeat-for", "write-edges", "write-parents", "partition",
		"roots-from", "weights", "search-timeout",
	} {
		p.Exclude(flag, "partition: nothing is searched")
	}
	return p
}

// check checks the flags for a world of so many ranks.
func (c *partitioning) check(p *commandline.Parser, ranks int) error {
	for _, name := range []string{"check", "masters"} {
		if p.Given(name) && p.Option(name).Value() == "" {
			return commandline.Usagef("flag -%s: the name is empty", name)
		}
	}
	c.Engine, c.Roots = "cpu", 1
	err := c.Options.CheckFlags(p)
	switch {
	case err != nil:
		return err
	case c.IsSweep():
		return commandline.Usagef("flag -scale: a partitioning has one scale, and not %s", c.Scales)
	case c.RowWeight+c.ArcWeight == 0:
		return commandline.Usagef("flags -row-weight and -arc-weight: one must be above 0")
	case c.Check != "" && ranks > 1:
		return commandline.Usagef("flag -check does not go with several ranks: start one process")
	}
	if c.parts = c.Parts; c.parts == 0 {
		c.parts = ranks
		if ranks == 1 {
			c.parts = defaultParts
		}
	}
	if c.parts < ranks {
		return commandline.Usagef("flag -parts: %d ranks cannot have %d parts, each needs one", ranks, c.parts)
	}
	if c.parts > partition.MostParts {
		return commandline.Usagef("flag -parts: there are at most %d parts, and %d ranks", partition.MostParts, ranks)
	}
	return c.choosePolicies(p.Given("policy"))
}

// choosePolicies finds the policies of -policy.
func (c *partitioning) choosePolicies(given bool) error {
	names := strings.Split(c.Policy, ",")
	switch {
	case c.Policy == "all" || c.Masters != "" && !given:
		names = nil
		for _, p := range partition.Policies() {
			if !p.Extra() && (c.Masters == "" || p.Masters.Name == partition.MasterRules()[0].Name) {
				names = append(names, p.Name())
			}
		}
	case c.Masters != "":
		for i, name := range names {
			names[i] = partition.MasterRules()[0].Name + "-" + name
		}
	}
	for _, name := range names {
		p, ok := partition.Find(name)
		if !ok && c.Masters != "" {
			owner := strings.TrimPrefix(name, partition.MasterRules()[0].Name+"-")
			return commandline.Usagef("flag -policy: with -masters it names a rule for arcs only, and there is no %q%s; all are %s", owner, commandline.Suggestion(owner, "", ownerNames()), strings.Join(ownerNames(), ", "))
		}
		if !ok {
			return commandline.NoSuchValue("policy", name, append(partition.Names(), "all"))
		}
		c.policies = append(c.policies, p)
	}
	return nil
}

// ownerNames lists the names of rules for arcs, and all.
func ownerNames() (names []string) {
	for _, o := range partition.OwnerRules() {
		names = append(names, o.Name)
	}
	return append(names, "all")
}

func partitionFormatNames() (names []string) {
	for _, f := range report.PartitionFormats() {
		if f.Name != "" {
			names = append(names, f.Name)
		}
	}
	return names
}

// start divides the graph, or checks the parts of -check.
func (c *partitioning) start(ctx context.Context, p *run.Process) error {
	if c.Check != "" {
		text, err := checkParts(ctx, c.Check)
		if err != nil {
			return err
		}
		return output.PrintText(p.Stdout, text)
	}
	if err := c.readMasters(); err != nil {
		return err
	}
	c.Strategy = []string{"push"} // one that needs the rows of the graph in their plain form
	return run.WithTimeout(ctx, p, c.Options, func(ctx context.Context) error {
		return run.On(ctx, p, c.Options, func(b *run.Bench) (func(context.Context) (string, error), error) {
			b.IsComparison, b.Extra = true, c.memory
			return func(ctx context.Context) (string, error) { return c.divideAll(ctx, b) }, p.World.OnFirst(ctx, c.checkOut)
		})
	})
}

// readMasters reads the file of -masters. It checks the number of its lines if the flags tell
// the number of vertices.
func (c *partitioning) readMasters() (err error) {
	if c.Masters == "" {
		return nil
	}
	if c.masters, err = graph.ReadParts(c.Masters, c.parts); err != nil {
		return fmt.Errorf("flag -masters: %w", err)
	}
	if c.Graph == "" {
		return c.checkMasters(c.GeneratorSpec().Vertices())
	}
	return nil
}

// checkMasters returns an error if the file of -masters is not one of so many vertices.
func (c *partitioning) checkMasters(vertices uint64) error {
	if c.Masters != "" && uint64(len(c.masters)) != vertices {
		return fmt.Errorf("flag -masters: %s has %d lines, and the graph %d vertices: it needs one line for each", c.Masters, len(c.masters), vertices)
	}
	return nil
}

// memory lists the memory of a partitioning before the graph is known, as if all parts were
// equal and each vertex of a part had a proxy in it.
func (c *partitioning) memory(job engine.Job, ranks int) []engine.Allocation {
	arcs := 2 * job.Tuples
	own := arcs / uint64(ranks)
	rows := min(job.Vertices, arcs)
	parts := uint64((c.parts + ranks - 1) / ranks)
	proxies := min(parts*rows, rows+own)
	return slices.Concat(divide.ReadMemory(job.Vertices, rows, arcs, ranks), divide.CountMemory(rows, arcs, ranks),
		divide.PartMemory(rows, proxies, min(proxies, own), own, own/parts, 4))
}
