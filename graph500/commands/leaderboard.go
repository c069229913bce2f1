package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/graph500/run"
	"graph500/leaderboard"
	"graph500/report"
)

// leaderboardFlags are the flags of "graph500 leaderboard".
type leaderboardFlags struct {
	Out  string `long:"out" default:"leaderboard" value-name:"DIR" description:"write index.html, leaderboard.md and leaderboard.csv into this directory"`
	Help bool   `long:"help" short:"h" description:"print this help and stop"`
}

const leaderboardIntroduction = `Ranks runs and writes the table as a web page, as Markdown and as CSV. A result is a
file in JSON (result.json of -out), a directory, which is searched for files of that
name, or a pattern. Runs that cannot be compared, such as those of another edgefactor
or without validation, have tables of their own. The page needs no network.

A file that holds no result is named on standard error and on the page; the rest goes
on, and the exit status is 1.

`

const leaderboardExample = `
Example:
  graph500 leaderboard -out=board runs 'other/*/result.json'
`

// newLeaderboard returns the command.
func newLeaderboard() command {
	c := new(leaderboardFlags)
	flags := commandline.NewParser("leaderboard [flags] RESULT ...", c)
	return command{
		Command: commandline.Command{Name: "leaderboard", Arguments: "[flags] RESULT ...", Doc: "ranks results on a web page", Introduction: leaderboardIntroduction, Closing: leaderboardExample, Flags: flags},
		run: func(ctx context.Context, p *run.Process, rest []string) error {
			return c.rank(ctx, p, rest)
		},
	}
}

// rank ranks the results that the arguments name.
func (c *leaderboardFlags) rank(ctx context.Context, p *run.Process, arguments []string) error {
	if len(arguments) == 0 {
		return commandline.Usagef("leaderboard needs results: files in JSON (result.json of -out), directories or patterns")
	}
	entries, leftOut := readEntries(ctx, arguments)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	board := leaderboard.New(entries)
	board.LeftOut = append(leftOut, board.LeftOut...)
	for _, l := range board.LeftOut {
		output.PrintError(p.Stderr, fmt.Errorf("left out: %s: %w", l.File, l.Err))
	}
	if err := board.Check(); err != nil {
		return err
	}
	if err := c.write(ctx, board); err != nil {
		return err
	}
	var text strings.Builder
	for _, f := range leaderboard.Formats() {
		fmt.Fprintln(&text, filepath.Join(c.Out, f.File))
	}
	if err := output.PrintText(p.Stdout, text.String()); err != nil {
		return err
	}
	if n := len(board.LeftOut); n > 0 {
		return fmt.Errorf("runs on the leaderboard: %d; left out: %d, named above", board.Runs(), n)
	}
	return nil
}

// write writes the board in every format.
func (c *leaderboardFlags) write(ctx context.Context, board *leaderboard.Board) error {
	var list []report.File
	for _, f := range leaderboard.Formats() {
		list = append(list, report.File{Name: f.File, Write: func(w io.Writer) error { return f.Write(w, board) }})
	}
	return report.WriteFiles(ctx, c.Out, list)
}

// readEntries reads the results that the arguments name. A file that is named twice is
// read once. It stops when ctx ends.
func readEntries(ctx context.Context, arguments []string) (entries []leaderboard.Entry, leftOut []leaderboard.LeftOut) {
	leaveOut := func(name string, err error) {
		leftOut = append(leftOut, leaderboard.LeftOut{File: name, Err: withoutName(name, err)})
	}
	seen := make(map[string]bool) // by real path
	for _, argument := range arguments {
		found, err := report.FindResults(argument)
		if err != nil {
			leaveOut(argument, err)
		}
		for _, name := range found {
			path := report.RealPath(name)
			if seen[path] || ctx.Err() != nil {
				continue
			}
			seen[path] = true
			run, err := report.ReadResult(name)
			if err != nil {
				leaveOut(name, err)
				continue
			}
			entries = append(entries, leaderboard.Entry{File: name, Run: run})
		}
	}
	return entries, leftOut
}

// withoutName removes a leading name of the file from an error.
func withoutName(name string, err error) error {
	var pathError *os.PathError
	if errors.As(err, &pathError) && pathError.Path == name {
		return pathError.Err
	}
	return errors.New(strings.TrimPrefix(err.Error(), name+": "))
}
