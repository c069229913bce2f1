package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/graph500/run"
	"graph500/report"
	"graph500/submission"
)

// submitFlags are the flags of "graph500 submit".
type submitFlags struct {
	Out  string `long:"out" value-name:"DIR" description:"also write submission.txt and submission.csv into this directory"`
	Help bool   `long:"help" short:"h" description:"print this help and stop"`
}

const submitIntroduction = `Checks a run against the rules of the Graph500 list, says line by line what is missing,
and prints the fields that the published lists show, with blanks for what only the site
knows. RESULT is the directory of -out or the result.json in it; the result.txt beside
it is compared with it. Nothing is sent anywhere.

The exit status is 1 if a check does not pass.

`

const submitExample = `
Example:
  graph500 submit -out=submission run
`

// newSubmit returns the command.
func newSubmit() command {
	c := new(submitFlags)
	flags := commandline.NewParser("submit [flags] RESULT", c)
	return command{
		Command: commandline.Command{Name: "submit", Arguments: "[flags] RESULT", Doc: "checks a result for the Graph500 list", Introduction: submitIntroduction, Closing: submitExample, Flags: flags},
		run: func(ctx context.Context, p *run.Process, rest []string) error {
			return c.check(ctx, rest, p.Stdout)
		},
	}
}

// check checks the result that the name stands for.
func (c *submitFlags) check(ctx context.Context, names []string, stdout *os.File) error {
	if len(names) != 1 {
		return commandline.Usagef("submit needs one result: the directory of -out, or the result.json in it")
	}
	result, name, err := readSubmission(names[0])
	if err != nil {
		return err
	}
	if c.Out != "" {
		var list []report.File
		for _, f := range submission.Formats() {
			list = append(list, report.File{Name: f.File, Write: func(w io.Writer) error { return f.Write(w, result) }})
		}
		if err := report.WriteFiles(ctx, c.Out, list); err != nil {
			return err
		}
	}
	var text strings.Builder
	if err := submission.Text(&text, result); err != nil {
		return err
	}
	if err := output.PrintText(stdout, text.String()); err != nil {
		return err
	}
	if n := submission.Failures(result); n > 0 {
		return fmt.Errorf("%s: checks that did not pass: %d", name, n)
	}
	return nil
}

// readSubmission reads a result and the block beside it. It returns the name of the
// file in JSON.
func readSubmission(name string) (*submission.Result, string, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		name = filepath.Join(name, report.JSONFile)
	}
	result := new(submission.Result)
	err := report.ReadFile(name, func(r io.Reader) (err error) {
		if result.JSON, err = io.ReadAll(r); err == nil {
			result.Run, err = report.ReadRun(bytes.NewReader(result.JSON))
		}
		return err
	})
	if err != nil {
		return nil, name, err
	}
	err = report.ReadFile(filepath.Join(filepath.Dir(name), report.BlockFile), func(r io.Reader) (err error) {
		result.Block, err = io.ReadAll(r)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return result, name, err
}
