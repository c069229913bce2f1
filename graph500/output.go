package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"graph500/report"
)

// formatNames lists the values of -format.
func formatNames() []string {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, f.Name)
	}
	return names
}

// output writes the files of -out and the tables of -verbose, and returns what
// stdout shall hold.
func (b *bench) output(ctx context.Context) (string, error) {
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	formats := report.Formats()
	chosen := formats[slices.IndexFunc(formats, func(f report.Format[report.Run]) bool { return f.Name == b.Format })]
	var text strings.Builder
	if err := chosen.Write(&text, &b.record); err != nil {
		return "", err
	}
	if b.Out != "" {
		if err := report.WriteDir(ctx, b.Out, &b.record); err != nil {
			return "", err
		}
	}
	return text.String(), b.printResult()
}

// writeOut writes text to stdout and closes it, because some file systems
// report a full disk only then.
func writeOut(stdout *os.File, text string) error {
	_, err := stdout.WriteString(text)
	if closeErr := stdout.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	return nil
}
