package run

import (
	"context"
	"slices"
	"strings"

	"graph500/report"
)

// output writes the files of -out and the tables of -verbose, and returns the text
// for stdout.
func (b *Bench) output(ctx context.Context) (string, error) {
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	if b.World.Rank() > 0 {
		return "", nil
	}
	formats := report.Formats()
	chosen := formats[slices.IndexFunc(formats, func(f report.Format[report.Run]) bool { return f.Name == b.Format })]
	var text strings.Builder
	if err := chosen.Write(&text, &b.Record); err != nil {
		return "", err
	}
	if b.Out != "" {
		if err := report.WriteDir(ctx, b.Out, &b.Record); err != nil {
			return "", err
		}
	}
	if err := b.writeNames(ctx); err != nil {
		return "", err
	}
	return text.String(), b.printResult()
}
