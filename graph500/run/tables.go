package run

import (
	"fmt"
	"strings"

	"graph500/report"
)

// printResult prints the headline and the reasons for non-conformance to the console;
// with -verbose also tables of phases and levels.
func (b *Bench) printResult() error {
	var headline, tables strings.Builder
	if err := report.Headline(&headline, &b.Record); err != nil {
		return err
	}
	b.Console.Printf("%s", strings.TrimSpace(headline.String()))
	for _, line := range report.EnergyLines(&b.Record) {
		b.Console.Printf("%s", line)
	}
	if len(b.Record.NotConforming) > 0 {
		b.Console.Printf("not a conforming run: %s", strings.Join(b.Record.NotConforming, "; "))
	}
	if len(b.Verbose) == 0 {
		return nil
	}
	if err := report.DeviceLine(&tables, b.Record.Device); err != nil {
		return err
	}
	for _, line := range report.BoardLines(&b.Record) {
		fmt.Fprintln(&tables, line)
	}
	if err := report.Phases(&tables, &b.Record); err != nil {
		return err
	}
	for _, k := range b.Record.Kernels {
		slowest := k.Slowest()
		fmt.Fprintf(&tables, "%s: 99th percentile of the times %.6f s, slowest search %.6f s from root %d\n", k.Kernel.Title(), slowest.P99, slowest.Seconds, slowest.Root)
		searches := k.Searches
		if len(b.Verbose) == 1 {
			searches = searches[k.Median():][:1]
		}
		for _, s := range searches {
			if err := report.Levels(&tables, k.Kernel, s, b.Record.Device); err != nil {
				return err
			}
		}
	}
	b.Console.Print(tables.String())
	return nil
}
