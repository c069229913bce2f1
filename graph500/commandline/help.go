package commandline

import (
	"bufio"
	"fmt"
	"strings"
)

const helpIntroduction = `The Graph500 benchmark: generates the official Kronecker graph, constructs a graph
to search from it (kernel 1), runs 64 breadth-first searches (kernel 2), 64 searches
for shortest paths (kernel 3) or both, validates each of them and prints the official
result block.
`

const helpOfFlags = `Flags may be written -scale=24, -scale 24 or --scale=24. A name that is also a
bundle of one-letter flags is the long flag. As graph500_reference_bfs or
graph500_reference_bfs_sssp, names of links to it, the program runs the kernels of
that program of the reference, and takes its arguments: SCALE [EDGEFACTOR].
`

const helpOfEnvironment = `  SKIP_VALIDATION  if set to any value: same as -skip-validation
  SKIP_BFS         if set to any value: same as -kernel=sssp; -kernel overrides it
  TMPFILE          hold the edges in this packed file during the run, and the
                   weights for sssp in the file FILE.weights beside it; no effect
                   with -graph, -read-edges or -write-edges
  REUSEFILE        if set to any value: read the edges from TMPFILE if it exists,
                   else write it; do not remove it after the run. A file whose
                   size does not match the edges is an error
  CUDA_VISIBLE_DEVICES
                   the GPUs that the program can use, in the order in which
                   -device counts them
`

const helpCommonExamples = `  graph500 -scale=20                        the benchmark at scale 20
  graph500 -scale=20 -kernel=both           both kernels on one graph
  graph500 -scale=26 -memory                does scale 26 fit into memory?
  graph500 -scale=20 -format=json -out=run  JSON on stdout, every format in run/
`

const helpExamples = helpCommonExamples + `  graph500 -scale=20 -kernel=sssp -strategy=delta-stepping -delta=0.05
                                            shortest paths with a given strategy
  graph500 -scale=24 -device=1              on the second GPU
  graph500 -scale=20 -check-engine          compare the GPU engine with the CPU engine
  graph500 -graph=road.mtx.gz -roots=8 -v   another graph, with level table
  graph500 -scale=20 -write-edges=s20.zst   write the edges, compressed
  graph500 -strategy=help -scale=24         list of strategies with their memory
  graph500 strategies -scale=20 -out=run    comparison of all strategies of bfs;
                                            of sssp with -kernel=sssp
  graph500 chart a/result.json b/result.json >gteps.svg
                                            a chart of GTEPS over scale;
                                            see chart -help
  graph500 leaderboard -out=board runs      a page of all results below runs/
  graph500 compare old new                  is the result in new/ faster?
  graph500 submit run                       what the result in run/ lacks for
                                            the Graph500 list, and its fields
  graph500 -scale=24 -energy -repeat-for=1m -out=run
                                            energy of GPU and processors; then, with
                                            the log of a power meter outside:
  graph500 energy -out=run run power.csv    the figure of the whole system
`

const helpOfStatus = `Exit status: 0 success, 1 failure, 2 wrong flags, 124 the end of a timeout, 134 program
error (crash), else 128 + number of the signal that stopped the run (130 SIGINT, 143 SIGTERM, ...).
`

const helpOfRest = `graph500 -help=all describes every flag, the environment and more examples, graph500 help
COMMAND a command. graph500 manual prints the manual page.
`

// HelpText returns the text of -help, of the common flags or of all.
func HelpText(part helpPart, commands Commands) string {
	p := NewRunParser(new(Options))
	list := "\nCommands instead of the benchmark; a command comes before its flags:\n" + commands.list()
	if part == CommonHelp {
		return helpIntroduction + p.help(CommonHelp) + list + "\nExamples:\n" + helpCommonExamples + "\n" + helpOfRest
	}
	return helpIntroduction + p.help(wholeHelp) + "\n" + helpOfFlags + list +
		"\nEnvironment:\n" + helpOfEnvironment + "\nExamples:\n" + helpExamples + "\n" + helpOfStatus
}

// list returns the lines of the help that describe the commands.
func (list Commands) list() string {
	var text strings.Builder
	for _, c := range list {
		fmt.Fprintf(&text, "  %-30s  %s\n", c.Name+" "+c.Arguments, c.Doc)
	}
	return text.String()
}

// help returns the usage line and the descriptions of the flags, of the common ones in short or
// of all. Afterwards the parser is for nothing else.
func (p *Parser) help(part helpPart) string {
	if _, err := p.of.ParseArgs(nil); err != nil { // sets the defaults that the help shows
		panic(err)
	}
	p.prepareTexts(part)
	var text strings.Builder
	p.of.WriteHelp(&text)
	return singleDashes(text.String())
}

// prepareTexts makes the descriptions of the flags those of a part of the help. Choices are left
// out: the descriptions name them, and their lists would make the column of the flags too wide.
func (p *Parser) prepareTexts(part helpPart) {
	for _, option := range p.options() {
		tag := option.Field().Tag
		option.Choices = nil
		if part == CommonHelp {
			option.Hidden = option.Hidden || tag.Get("seldom") != ""
			continue
		}
		if detail := tag.Get("detail"); detail != "" && !p.described[option.LongName] {
			option.Description += "; " + detail
		}
		if values, limited := p.ranges[option.LongName]; limited {
			option.Description += "; " + values.String()
		}
	}
}

// singleDashes replaces the two dashes of long flags in a help text by one. Columns
// remain aligned.
func singleDashes(text string) string {
	const continued = "                    " // indentation of the further lines of a description
	var out strings.Builder
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		line := lines.Text()
		if before, after, ok := strings.Cut(line, "--"); ok {
			line = before + "-" + after
		} else if strings.HasPrefix(line, continued) {
			line = line[1:]
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}
