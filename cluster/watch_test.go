package cluster

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// ending is what happened at the end of ranks that are goroutines.
type ending struct {
	reports           []string
	finished, aborted []int
	took              time.Duration
}

// nobody is no rank.
const nobody = -1

// endOf runs work on ranks with a watch, except on the rank absent, which does nothing.
// change is called with each world before.
func endOf(t *testing.T, size, absent int, work func(ctx context.Context, w *World) Outcome, change ...func(w *World)) (e ending) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		start := time.Now()
		worlds := InProcess(size)
		l := worlds[0].link.(*localLink)
		var mu sync.Mutex
		var wait sync.WaitGroup
		for r, w := range worlds {
			if r == absent {
				continue
			}
			for _, f := range change {
				f(w)
			}
			wait.Go(func() {
				ctx, watch := StartWatch(context.Background(), w, func(text string) {
					mu.Lock()
					defer mu.Unlock()
					e.reports = append(e.reports, text)
				})
				watch.End(work(ctx, w))
			})
		}
		wait.Wait()
		e.took = time.Since(start)
		e.finished, e.aborted = l.finished, l.aborted
	})
	return e
}

func (e ending) check(t *testing.T, report string, aborted []int, status ...int) {
	t.Helper()
	if want := []string{report}; report != "" && !slices.Equal(e.reports, want) || report == "" && e.reports != nil {
		t.Errorf("reports %q", e.reports)
	}
	if !slices.Equal(e.finished, status) || !slices.Equal(e.aborted, aborted) {
		t.Errorf("ended with %v, aborted by %v", e.finished, e.aborted)
	}
	if e.took >= 10*time.Second {
		t.Errorf("took %v", e.took)
	}
}

func TestAllSucceed(t *testing.T) {
	endOf(t, 3, nobody, func(_ context.Context, w *World) Outcome {
		time.Sleep(time.Duration(w.Rank()) * 3 * time.Second)
		return Outcome{}
	}).check(t, "", nil, 0, 0, 0)
}

// A rank may work for a long time.
func TestLongWork(t *testing.T) {
	e := endOf(t, 2, nobody, func(context.Context, *World) Outcome {
		time.Sleep(time.Hour)
		return Outcome{}
	})
	e.took = 0
	e.check(t, "", nil, 0, 0)
}

// The same error on all ranks is reported once, and the ranks leave the world in order.
func TestAllFailAlike(t *testing.T) {
	endOf(t, 3, nobody, func(context.Context, *World) Outcome { return Outcome{2, "wrong flag"} }).check(t, "wrong flag", nil, 2, 2, 2)
}

// The failure of one rank ends the others, which wait for it.
func TestOneFails(t *testing.T) {
	for failing := range 3 {
		e := endOf(t, 3, nobody, func(ctx context.Context, w *World) Outcome {
			w.SetPhase("construction")
			if w.Rank() == failing {
				return Outcome{7, "no memory"}
			}
			return OutcomeOf(1, w.Barrier(ctx))
		})
		host := []string{"host0", "host1", "host2"}[failing]
		e.check(t, "rank "+string(rune('0'+failing))+" on "+host+`, in phase "construction": no memory`, []int{0}, 7, 7, 7)
	}
}

// A rank whose work does not end does not keep the others.
func TestOneDoesNotEnd(t *testing.T) {
	e := endOf(t, 2, nobody, func(ctx context.Context, w *World) Outcome {
		if w.Rank() == 1 {
			time.Sleep(5 * time.Second)
			return Outcome{}
		}
		return Outcome{1, "no memory"}
	})
	e.check(t, `rank 0 on host0, in phase "startup": no memory`, []int{0}, 1, 1)
}

// A rank that stops answering ends the others. If it is rank 0, rank 1 reports it.
func TestOneStopsAnswering(t *testing.T) {
	for absent, report := range []string{
		`rank 0 on host0, in phase "startup": stopped answering`,
		`rank 1 on host1, in phase "startup": stopped answering`,
		`rank 2 on host2, in phase "startup": stopped answering`,
	} {
		reporter := 0
		if absent == 0 {
			reporter = 1
		}
		endOf(t, 3, absent, func(ctx context.Context, w *World) Outcome {
			return OutcomeOf(1, w.Barrier(ctx))
		}).check(t, report, []int{reporter}, 1, 1)
	}
}

// muted is a link whose rank cannot send after a while.
type muted struct {
	*localLink
	until time.Time
}

func (m muted) send(to int, text *message) error {
	if time.Now().After(m.until) {
		return nil
	}
	return m.localLink.send(to, text)
}

// A rank that stops answering after its own work has succeeded ends the others too.
func TestSucceedsThenStopsAnswering(t *testing.T) {
	endOf(t, 2, nobody, func(ctx context.Context, w *World) Outcome {
		if w.Rank() == 1 {
			return Outcome{}
		}
		return OutcomeOf(1, w.Barrier(ctx))
	}, func(w *World) {
		if w.Rank() == 1 {
			w.link = muted{w.link.(*localLink), time.Now().Add(time.Second)}
		}
	}).check(t, `rank 1 on host1, in phase "startup": stopped answering`, []int{0}, 1, 1)
}

// frozen is a link whose rank does nothing for a while.
type frozen struct {
	*localLink
	from, until time.Time
}

func (f frozen) receive(from int, text *message) (bool, error) {
	if now := time.Now(); now.After(f.from) {
		time.Sleep(f.until.Sub(now))
	}
	return f.localLink.receive(from, text)
}

// If rank 0 answers after the others have given it up, it reports that they did.
func TestLeaderAnswersLate(t *testing.T) {
	endOf(t, 2, nobody, func(ctx context.Context, w *World) Outcome {
		<-ctx.Done()
		return OutcomeOf(1, context.Cause(ctx))
	}, func(w *World) {
		if w.Rank() == 0 {
			w.link = frozen{w.link.(*localLink), time.Now().Add(time.Second), time.Now().Add(6500 * time.Millisecond)}
		}
	}).check(t, `rank 1 on host1, in phase "startup": rank 0 stopped answering`, []int{0}, 1, 1)
}

func TestOutcomeOf(t *testing.T) {
	if o := OutcomeOf(3, errors.New("x")); o != (Outcome{3, "x"}) {
		t.Error(o)
	}
	if o := OutcomeOf(0, nil); o != (Outcome{}) {
		t.Error(o)
	}
}
