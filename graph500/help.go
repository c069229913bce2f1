package main

import (
	"bufio"
	"strings"

	"github.com/jessevdk/go-flags"
)

const helpIntroduction = `The Graph500 benchmark: makes the official Kronecker graph, builds a graph to
search from it (kernel 1), runs 64 breadth-first searches (kernel 2), validates
each of them and prints the official result block.

`

const helpEnd = `
Flags may be written -scale=24, -scale 24 or --scale=24. A name that is also a
bundle of one-letter flags is the long flag.

Commands, in the place of the benchmark; a command comes before its flags:
  strategies [flags] [NAME ...]  searches one graph with every strategy
  chart [flags] FILE.json ...    draws results of this program
  help [COMMAND]                 prints this help, or that of a command

Environment:
  SKIP_VALIDATION  if set, to whatever: as -skip-validation
  TMPFILE          keep the edges in this packed file during the run; without
                   effect beside -graph, -read-edges and -write-edges
  REUSEFILE        if set: take the edges from TMPFILE if it is there, else write
                   it; either way it stays after the run. A file of another size
                   than these edges have is refused
  CUDA_VISIBLE_DEVICES
                   the GPUs that the driver shows to the program, in the order
                   in which -device counts them

Examples:
  graph500 -scale=20                        the benchmark at scale 20
  graph500 -scale=26 -memory                would scale 26 fit this machine?
  graph500 -scale=20 -format=json -out=run  JSON on stdout, every format in run/
  graph500 -scale=24 -device=1              on the second GPU, or not at all
  graph500 -scale=20 -check-engine          the GPU's searches against the CPU's
  graph500 -graph=road.mtx.gz -roots=8 -v   another graph, with level profile
  graph500 -scale=20 -write-edges=s20.zst   write the edges, compressed
  graph500 -strategy=help -scale=24         all ways to search, with their memory
  graph500 strategies -scale=20 -out=run    all ways to search, side by side
  graph500 chart a/result.json b/result.json >gteps.svg
                                            a picture of GTEPS over scale;
                                            chart -help says more

Exit status: 0 done, 1 failed, 2 wrong flags, 134 a fault in the program, else
128 and the number of the signal that stopped it (130 SIGINT, 143 SIGTERM, ...).
`

// helpText returns what -help prints.
func helpText() string {
	return helpIntroduction + flagsHelp(newParser(new(options))) + helpEnd
}

// flagsHelp returns the usage line and what there is to say of the flags.
func flagsHelp(p *flags.Parser) string {
	if _, err := p.ParseArgs(nil); err != nil { // fills in the defaults to show
		panic(err)
	}
	describeRanges(p)
	var text strings.Builder
	p.WriteHelp(&text)
	return singleDashes(text.String())
}

// singleDashes writes the long flags of a help text with one dash and keeps
// its columns.
func singleDashes(text string) string {
	const continued = "                    " // a description's second line
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
