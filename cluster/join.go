package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// JoinWithin is the usual time in which all ranks must have joined.
const JoinWithin = 60 * time.Second

// hostVariable names the host of a rank in place of its own name, as it does for NCCL: if hosts
// have the same name, or to treat the ranks of one host as those of several.
const hostVariable = "NCCL_HOSTID"

// Join returns the world of this process. Without a launcher, this is a world of one
// rank. An error means that the launcher has started several processes, but that they
// cannot find each other within the given time: a rank that is stopped, or that is another
// program, never answers.
func Join(l *Launcher, within time.Duration) (*World, error) {
	if l == nil {
		return Alone(), nil
	}
	type outcome struct {
		world *World
		err   error
	}
	done := make(chan outcome, 1)
	go func() { // MPI waits for the other ranks
		w, err := join(l)
		if err == nil && w.size > 1 {
			host := os.Getenv(hostVariable)
			if host == "" {
				host, _ = os.Hostname()
			}
			w.hosts, err = w.Strings(context.Background(), host)
		}
		done <- outcome{w, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, fmt.Errorf("%s started this program as one of several processes: %w", l.Name, o.err)
		}
		return o.world, nil
	case <-time.After(within):
		return nil, fmt.Errorf("%s started this program as one of several processes, and not all of them have joined within %v: one is stopped, or another program", l.Name, within)
	}
}

// Difference is a property in which a rank differs from rank 0.
type Difference struct {
	Rank      int
	Host      string
	Own, Zero string // values of the rank and of rank 0
}

// Compare compares a text between all ranks. It returns the first rank whose text
// differs from that of rank 0, the same on all ranks, or nil.
func (w *World) Compare(ctx context.Context, text string) (*Difference, error) {
	texts, err := w.Strings(ctx, text)
	if err != nil {
		return nil, err
	}
	for r, text := range texts {
		if text != texts[0] {
			return &Difference{r, w.hosts[r], text, texts[0]}, nil
		}
	}
	return nil, nil
}

// OnOneHost reports whether all ranks are on one host.
func (w *World) OnOneHost() bool {
	return !slices.ContainsFunc(w.hosts, func(host string) bool { return host != w.hosts[0] })
}

// OnHost returns the number of ranks on the host of this one, including it.
func (w *World) OnHost() (ranks uint64) {
	for _, host := range w.hosts {
		if host == w.hosts[w.rank] {
			ranks++
		}
	}
	return ranks
}

// Agree returns the error of the first rank that has one, the same on all ranks, or nil if
// none has. It names the rank unless all have the same error.
func (w *World) Agree(ctx context.Context, own error) error {
	if w.size == 1 {
		return own
	}
	text := ""
	if own != nil {
		text = own.Error()
	}
	texts, err := w.Strings(ctx, text)
	if err != nil {
		return err
	}
	for r, text := range texts {
		if text == "" {
			continue
		}
		if slices.ContainsFunc(texts, func(other string) bool { return other != text }) {
			text = fmt.Sprintf("rank %d on %s: %s", r, w.hosts[r], text)
		}
		return errors.New(text)
	}
	return nil
}

// OnFirst calls work on rank 0, and returns its error on all ranks.
func (w *World) OnFirst(ctx context.Context, work func() error) error {
	var err error
	if w.rank == 0 {
		err = work()
	}
	return w.Agree(ctx, err)
}

// Threads returns the number of threads of this rank: that asked for, or, with 0, its share of the
// processors, which the ranks on a host divide that may use the same ones.
func (w *World) Threads(ctx context.Context, asked int) (int, error) {
	if asked > 0 {
		return asked, nil
	}
	sharing := 1
	if w.size > 1 {
		var err error
		if sharing, err = w.sharing(ctx); err != nil {
			return 0, err
		}
	}
	return max(1, runtime.GOMAXPROCS(0)/sharing), nil
}

// sharing returns the number of ranks, including this one, that may use the same
// processors of the same host.
func (w *World) sharing(ctx context.Context) (int, error) {
	allowed := "unknown"
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		_, line, _ := strings.Cut(string(status), "Cpus_allowed_list:")
		allowed, _, _ = strings.Cut(line, "\n")
	}
	texts, err := w.Strings(ctx, w.hosts[w.rank]+allowed)
	if err != nil {
		return 0, err
	}
	sharing := 0
	for _, text := range texts {
		if text == texts[w.rank] {
			sharing++
		}
	}
	return sharing, nil
}
