package run

import (
	"context"
	"fmt"
	"time"

	"graph500/energy"
	"graph500/engine"
	"graph500/report"
)

// repeat repeats the searches of a kernel until the time of -repeat-for has passed, and
// records when. It does not validate them: the time is that of clearing and searching
// alone, for the meters of energy. The lines that it prints begin as those of the energy
// loop of the reference; a log of power can be cut by their time stamps.
func (b *Bench) repeat(ctx context.Context, run *report.KernelRun, s kernelSearcher) error {
	var done, edges int64
	reading := b.meter.Read()
	from := time.Now()
	b.Console.Printf("starting energy loop %s at %s", s.kernel.Title(), timeStamp(from))
	for done == 0 || time.Since(from) < time.Duration(b.RepeatFor) {
		if done%int64(len(run.Searches)) == 0 {
			collectGarbage()
		}
		search := run.Searches[done%int64(len(run.Searches))]
		if err := clearAndSearch(ctx, s, search.Root); err != nil {
			return fmt.Errorf("repeated search %d: %w", done, err)
		}
		done, edges = done+1, edges+search.Edges
	}
	to := time.Now()
	span := energy.Between(reading, b.meter.Read())
	b.sampleBoards()
	seconds := to.Sub(from).Seconds()
	b.Console.Printf("finished energy loop %s at %s: %d searches in %.3f s", s.kernel.Title(), timeStamp(to), done, seconds)
	run.Repetition = &report.Repetition{Begin: from, End: to, Seconds: seconds, Searches: done, Edges: edges}
	b.recordPhase(report.Phase{Name: b.phaseOf(s.kernel, "repetition"), Seconds: seconds, Tuples: done * int64(b.tuples), Energy: b.energyOf(span)})
	b.recordEnergy(run, span, done, edges)
	return b.checkRepeated(ctx, s, run.Searches[(done-1)%int64(len(run.Searches))])
}

// checkRepeated validates the last of the repeated searches and compares its tree with
// that of the timed search from the same root.
func (b *Bench) checkRepeated(ctx context.Context, s kernelSearcher, timed report.Search) error {
	defer s.Drop()
	if err := s.Keep(); err != nil {
		return err
	}
	trees, err := b.validateOrCount(ctx, s)
	if err != nil {
		return fmt.Errorf("the last repeated search: %w", err)
	}
	if trees[0].Edges != timed.Edges || trees[0].Visited != timed.Visited {
		return fmt.Errorf("the last repeated search, from root %d, reached %d vertices with nedge %d; the timed one %d with %d",
			timed.Root, trees[0].Visited, trees[0].Edges, timed.Visited, timed.Edges)
	}
	return nil
}

// clearAndSearch runs one search without a clock and without a profile.
func clearAndSearch(ctx context.Context, s engine.Searcher, root engine.Vertex) error {
	if err := s.Clear(); err != nil {
		return err
	}
	return s.Search(ctx, root)
}

// timeStamp formats a time as RFC 3339 in UTC, with microseconds.
func timeStamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z07:00") }
