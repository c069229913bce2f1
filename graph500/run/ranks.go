package run

import (
	"context"
	"fmt"

	"graph500/cluster"
	"graph500/memory"
	"graph500/parallel"
	"graph500/processors"
)

// recordRanks records what all ranks have: hosts, threads, processors, memory, GPUs.
func (b *Bench) recordRanks(ctx context.Context) (err error) {
	own := b.Record.Processes[0]
	own.Host = b.World.Hosts()[b.World.Rank()]
	own.GPUs = len(b.Record.Devices) / b.World.Size()
	if b.machine != nil {
		if allowed, err := processors.Find(b.machine); err == nil {
			own.Processors = allowed.List
		}
	}
	b.Record.Processes, err = cluster.Values(ctx, b.World, own)
	return err
}

// NewTeam returns the workers with which this rank reads files and draws weights.
func (b *Bench) NewTeam(ctx context.Context) (*parallel.Team, error) {
	threads, err := b.World.Threads(ctx, b.Threads)
	if err != nil {
		return nil, err
	}
	return parallel.NewTeam(threads), nil
}

// ownMemory returns this rank's part of the host's available memory.
func (b *Bench) ownMemory(host memory.Limit) memory.Limit {
	if sharing := b.World.OnHost(); sharing > 1 {
		host.Bytes /= sharing
		host.Source += fmt.Sprintf(", shared by %d ranks", sharing)
	}
	return host
}
