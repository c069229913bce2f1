package run

import (
	"context"
	"slices"

	"graph500/cluster"
	"graph500/device/nvml"
	"graph500/report"
)

// sampledBoard is the board of a GPU of this process with what its readings have shown.
type sampledBoard struct {
	report.Board
	state func() nvml.State
}

// openBoards opens the boards of this process's GPUs. Without the library of the driver there
// are none: what they tell is of use, but no run needs it.
func (b *Bench) openBoards(context.Context) error {
	if b.CheckParents != "" {
		return nil
	}
	own := len(b.Record.Devices) / b.World.Size()
	for _, d := range b.Record.Devices[own*b.World.Rank():][:own] {
		if board, err := nvml.Open(d.BusID); err == nil {
			b.boards = append(b.boards, &sampledBoard{report.Board{BusID: d.BusID}, board.State})
		}
	}
	return nil
}

// sampleBoards reads the boards just after searches, when their clocks are those of the
// searches. It is not called between the searches of a batch: a search just after a reading
// takes some microseconds longer.
func (b *Bench) sampleBoards() {
	for _, board := range b.boards {
		board.add(board.state(), int(b.World.OnHost()))
	}
}

// add adds a reading, made while so many processes of the run are on the host.
func (s *sampledBoard) add(now nvml.State, processes int) {
	s.Samples++
	widen(&s.SMClock, now.SMClock)
	widen(&s.MemoryClock, now.MemoryClock)
	s.PowerLimit, s.ECC = now.PowerLimit, now.ECC
	s.Slowed = slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.Slowed, now.Slowed))))
	if now.Processes == nil || *now.Processes == 0 { // a container hides even this process
		return
	}
	others := max(0, *now.Processes-processes)
	if s.OtherProcesses == nil || *s.OtherProcesses < others {
		s.OtherProcesses = &others
	}
}

// widen makes the range contain a clock in MHz, unless it is unknown.
func widen(c *report.Clock, mhz int) {
	if mhz == 0 {
		return
	}
	if c.Min == 0 || mhz < c.Min {
		c.Min = mhz
	}
	c.Max = max(c.Max, mhz)
}

// recordBoards records the boards of all ranks, and warns of what made them slow.
func (b *Bench) recordBoards(ctx context.Context) error {
	own := []report.Board{}
	for _, board := range b.boards {
		if board.Samples > 0 {
			own = append(own, board.Board)
		}
	}
	all, err := cluster.Values(ctx, b.World, own)
	if err != nil {
		return err
	}
	b.Record.Boards = slices.Concat(all...)
	for _, board := range b.Record.Boards {
		for _, warning := range board.Warnings() {
			b.Warn(warning)
		}
	}
	return nil
}
