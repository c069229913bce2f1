package commands

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"

	"graph500/atomicfile"
	"graph500/cluster"
	"graph500/decimal"
	"graph500/engine"
	"graph500/graph"
	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/graph500/run"
	"graph500/parallel"
	"graph500/synthetic"
)

// edgesFlags are the flags of "graph500 edges".
type edgesFlags struct {
	Kind          string              `long:"kind" default:"grid" value-name:"NAME" description:"grid (like a road network: vertices in rows and columns, each joined with its neighbours), rmat (like the web: R-MAT with other probabilities than the official graph, and labels that are not scrambled) or crawl (like the web in the order of a crawl: most edges lead to near labels)"`
	Scales        commandline.Scales  `long:"scale" short:"s" default:"16" value-name:"N" description:"log2 of the number of vertices, one only"`
	EdgeFactor    int                 `long:"edgefactor" base:"10" default:"16" value-name:"N" description:"tuples for each vertex of rmat; grid has 2, crawl 8"`
	Probabilities string              `long:"probabilities" default:"0.45,0.25,0.15,0.15" value-name:"A,B,C,D" description:"of the quadrants of rmat; together 1"`
	Keep          commandline.Decimal `long:"keep" default:"0.9" value-name:"X" description:"share of the edges of grid that are kept, chosen at random; the others become self loops"`
	Weights       bool                `long:"weights" description:"also write random weights, to FILE.weights, or FILE.weights.zst if FILE ends with .zst"`
	Shuffle       bool                `long:"shuffle" description:"give the vertices other labels, so that neighbours do not have near ones"`
	Seed          uint64              `long:"seed" base:"10" default:"1" value-name:"N" description:"seed of the random numbers"`
	Threads       int                 `long:"threads" base:"10" default:"0" value-name:"N" description:"threads; 0: one for each processor"`
	Help          bool                `long:"help" short:"h" description:"print this help and stop"`
}

// edgesPiece is the number of tuples that are made and written at a time.
const edgesPiece = 1 << 20

const edgesIntroduction = `Makes a packed edge file of a graph that is not the official one, for -read-edges. It holds
a piece of the graph in memory at a time. A name that ends in .zst is compressed.

With IN and OUT it converts a graph: IN is a file as for -graph, or a packed edge file,
uncompressed (-scale: of how many vertices; else up to the largest one). OUT ends in .mtx
(Matrix Market), .txt, .tsv, .el or .wel (edge list), .sg or .wsg (GAP), maybe with .gz or
.zst; else it is a packed edge file. Weights that IN has are written, except to .sg.

`

const edgesExample = `
Example:
  graph500 edges -kind=rmat -scale=20 -weights web.edges
  graph500 -read-edges=web.edges -scale=20 -kernel=both
  graph500 edges road.gr.gz road.wsg
`

// newEdges returns the command.
func newEdges() command {
	c := new(edgesFlags)
	flags := commandline.NewParser("edges [flags] FILE | edges [flags] IN OUT", c).
		Choose("kind", "grid", "rmat", "crawl").
		Within("scale", commandline.AnyScale()).
		Within("edgefactor", commandline.Between[int](1, 1<<20)).
		Within("keep", commandline.Between[commandline.Decimal](0, 1)).
		Within("seed", commandline.Between[uint64](0, math.MaxUint64)).
		Within("threads", commandline.Between[int](0, 4096))
	return command{
		Command: commandline.Command{Name: "edges", Arguments: "[flags] [IN] OUT", Doc: "makes an edge file of another graph, or converts one", Introduction: edgesIntroduction, Closing: edgesExample, Flags: flags},
		run: func(ctx context.Context, p *run.Process, rest []string) error {
			return c.make(ctx, flags, rest, p.Stdout)
		},
	}
}

// make makes an edge file, or converts one.
func (c *edgesFlags) make(ctx context.Context, flags *commandline.Parser, names []string, stdout *os.File) error {
	if len(names) == 2 {
		return c.convert(ctx, flags, names[0], names[1], stdout)
	}
	if len(names) != 1 || names[0] == "" {
		return commandline.Usagef("edges takes the name of one file to write, or of one to read and one to write, and not %q", names)
	}
	g, err := c.graph(flags)
	if err != nil {
		return err
	}
	if c.Shuffle {
		g = synthetic.Shuffled{Graph: g}
	}
	if err := atomicfile.Check(names[0]); err != nil {
		return err
	}
	if err := c.write(ctx, g, names[0]); err != nil {
		return err
	}
	return output.PrintText(stdout, fmt.Sprintf("%s: %d vertices, %d tuples; read it with -read-edges=%s -scale=%d -edgefactor=%d\n",
		names[0], g.Vertices(), g.Tuples(), names[0], c.Scales[0], g.Tuples()/g.Vertices()))
}

// graph returns the graph that the flags describe.
func (c *edgesFlags) graph(flags *commandline.Parser) (synthetic.Graph, error) {
	if len(c.Scales) != 1 {
		return nil, commandline.Usagef("flag -scale: give one scale")
	}
	only := func(kind string, names ...string) error { // flags of another kind
		for _, name := range names {
			if flags.Given(name) {
				return commandline.Usagef("flags -%s and -kind=%s contradict each other: it is for %s", name, c.Kind, kind)
			}
		}
		return nil
	}
	switch c.Kind {
	case "grid":
		return synthetic.Grid{Scale: c.Scales[0], Keep: float64(c.Keep), Seed: c.Seed}, only("rmat", "edgefactor", "probabilities")
	case "rmat":
		g := synthetic.RMAT{Scale: c.Scales[0], EdgeFactor: c.EdgeFactor, Seed: c.Seed}
		var err error
		if g.Quadrants, err = parseQuadrants(c.Probabilities); err == nil {
			err = g.Check()
		}
		if err != nil {
			return nil, commandline.Usagef("flag -probabilities: %s", err)
		}
		return g, only("grid", "keep")
	}
	err := only("grid", "keep")
	if err == nil {
		err = only("rmat", "edgefactor", "probabilities")
	}
	return synthetic.Crawl{Scale: c.Scales[0], Seed: c.Seed}, err
}

// parseQuadrants parses four numbers.
func parseQuadrants(text string) (q [4]float64, err error) {
	parts := strings.Split(text, ",")
	if len(parts) != len(q) {
		return q, fmt.Errorf("%q is not four numbers A,B,C,D", text)
	}
	for i, part := range parts {
		if q[i], err = decimal.Parse(part); err != nil {
			return q, err
		}
	}
	return q, nil
}

// write writes the tuples of a graph to an edge file.
func (c *edgesFlags) write(ctx context.Context, g synthetic.Graph, path string) error {
	w, err := graph.CreateEdges(ctx, cluster.Alone(), path, graph.Whole(g.Tuples()), c.Weights)
	if err != nil {
		return err
	}
	defer w.Abort()
	team := parallel.NewTeam(c.Threads)
	defer team.Close()
	piece := engine.Tuples{Edges: make([]engine.Edge, min(edgesPiece, g.Tuples()))}
	if c.Weights {
		piece.Weights = make([]float32, len(piece.Edges))
	}
	part := func(lo, hi int) engine.Tuples {
		t := engine.Tuples{Edges: piece.Edges[lo:hi]}
		if c.Weights {
			t.Weights = piece.Weights[lo:hi]
		}
		return t
	}
	for done := uint64(0); done < g.Tuples(); done += edgesPiece {
		n := int(min(edgesPiece, g.Tuples()-done))
		if err := team.For(ctx, n, 1<<14, func(_, lo, hi int) { g.Fill(part(lo, hi), done+uint64(lo)) }); err != nil {
			return err
		}
		if err := w.Write(part(0, n)); err != nil {
			return err
		}
	}
	return w.Close()
}
