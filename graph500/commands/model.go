package commands

import (
	"context"
	"fmt"
	"os"
	"strings"

	"graph500/engine"
	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/graph500/run"
	"graph500/report"
	"graph500/scaling"
)

// modelFlags are the flags of "graph500 model".
type modelFlags struct {
	Nodes       int                 `long:"nodes" default:"1024" value-name:"N" description:"largest number of nodes"`
	GPUsPerNode int                 `long:"gpus-per-node" default:"8" value-name:"N" description:"GPUs of a node"`
	Peer        commandline.Decimal `long:"peer" default:"350" value-name:"GB/S" description:"rate into a GPU from the others of its node"`
	Network     commandline.Decimal `long:"network" default:"50" value-name:"GB/S" description:"rate into a GPU from other nodes"`
	Latency     commandline.Decimal `long:"latency" default:"5" value-name:"US" description:"latency between nodes in microseconds"`
	Levels      string              `long:"levels" value-name:"RESULT" description:"take the levels of this run of BFS (result.json of -out) instead of those of the program"`
	Chart       bool                `long:"chart" description:"draw the efficiency over the nodes as SVG instead of printing tables"`
	Help        bool                `long:"help" short:"h" description:"print this help and stop"`
}

const modelIntroduction = `Prints what breadth-first search would take on several nodes with GPUs by a model: tables in
Markdown of GTEPS and efficiency over nodes and scales, and of the parameters, which are
those of H200. Nothing is measured on several nodes: the program runs on their GPUs too,
but by another search than the one modelled. docs/scaling.md explains the model.

`

const modelExample = `
Example:
  graph500 model -gpus-per-node=4 -network=25
`

// newModel returns the command.
func newModel() command {
	c := new(modelFlags)
	flags := commandline.NewParser("model [flags]", c).
		Within("nodes", commandline.PowersOfTwo(1, 1<<16)).
		Within("gpus-per-node", commandline.Between[int](1, 64)).
		Within("peer", commandline.Between[commandline.Decimal](0.001, 1e6)).
		Within("network", commandline.Between[commandline.Decimal](0.001, 1e6)).
		Within("latency", commandline.Between[commandline.Decimal](0, 1e6))
	return command{
		Command: commandline.Command{Name: "model", Arguments: "[flags]", Doc: "predicts rates on several nodes with GPUs", Introduction: modelIntroduction, Closing: modelExample, Flags: flags},
		run: func(ctx context.Context, p *run.Process, rest []string) error {
			return c.print(rest, p.Stdout)
		},
	}
}

// print prints the tables of the model, or its chart.
func (c *modelFlags) print(names []string, stdout *os.File) (err error) {
	if len(names) > 0 {
		return commandline.Usagef("model takes flags only, and not %q", names)
	}
	counted := scaling.Counted()
	profile := counted[len(counted)-1]
	if c.Levels != "" {
		if profile, err = readLevels(c.Levels); err != nil {
			return err
		}
	}
	machine := scaling.H200()
	machine.GPUs, machine.Peer, machine.Network, machine.Latency = c.GPUsPerNode, float64(c.Peer)*1e9, float64(c.Network)*1e9, float64(c.Latency)*1e-6
	var text strings.Builder
	if c.Chart {
		err = modelChart(&text, machine, profile, c.Nodes)
	} else {
		for _, t := range scaling.Tables(machine, profile, c.Nodes) {
			fmt.Fprintf(&text, "%s\n\n%s\n", t.Title, t.Text)
		}
	}
	if err != nil {
		return err
	}
	return output.PrintText(stdout, text.String())
}

// readLevels returns the mean levels of a run.
func readLevels(name string) (p scaling.Profile, err error) {
	run, err := report.ReadResult(name)
	if err != nil {
		return p, err
	}
	k := run.Kernel(engine.BFS)
	if k == nil || run.Input.Source != report.Kronecker {
		return p, fmt.Errorf("%s: the levels must be those of BFS on a generated graph", name)
	}
	var searches [][]engine.Level
	for _, s := range k.Searches {
		var levels []engine.Level
		for _, l := range s.Levels {
			levels = append(levels, engine.Level(l))
		}
		searches = append(searches, levels)
	}
	return scaling.NewProfile(run.Input.Scale, searches), nil
}

// modelChart draws the efficiency over the nodes with a line for each scale.
func modelChart(text *strings.Builder, m scaling.Machine, p scaling.Profile, nodes int) error {
	var series []report.NodeSeries
	for _, scale := range scaling.Scales(m, p, nodes) {
		s := report.NodeSeries{Name: fmt.Sprint("scale ", scale)}
		for _, n := range scaling.NodeCounts(nodes) {
			if best, fits := (scaling.Run{Machine: m, Profile: p, Scale: scale, Nodes: n}).Best(); fits {
				s.Points = append(s.Points, report.NodePoint{Nodes: n, Value: 100 * best.Efficiency()})
			}
		}
		series = append(series, s)
	}
	if len(series) == 0 {
		return commandline.Usagef("no scale from 26 on fits")
	}
	title := fmt.Sprintf("Breadth-first search on nodes of %d H200, by a model", m.GPUs)
	return report.NodeChart(text, title, "Rate of a GPU, percent of the highest rate of this search on one H200", "nodes", series)
}
