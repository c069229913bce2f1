package main

import (
	"context"
	"fmt"

	"graph500/cluster"
	"graph500/memory"
	"graph500/parallel"
	"graph500/processors"
)

// recordRanks records what all ranks have: hosts, threads, processors, memory, GPUs.
func (b *bench) recordRanks(ctx context.Context) (err error) {
	own := b.record.Processes[0]
	own.Host = b.world.Hosts()[b.world.Rank()]
	own.GPUs = len(b.record.Devices) / b.world.Size()
	if b.machine != nil {
		if allowed, err := processors.Find(b.machine); err == nil {
			own.Processors = allowed.List
		}
	}
	b.record.Processes, err = cluster.Values(ctx, b.world, own)
	return err
}

// newTeam returns the workers with which this rank reads files and draws weights.
func (b *bench) newTeam(ctx context.Context) (*parallel.Team, error) {
	threads, err := b.world.Threads(ctx, b.Threads)
	if err != nil {
		return nil, err
	}
	return parallel.NewTeam(threads), nil
}

// ownMemory returns this rank's part of the host's available memory.
func (b *bench) ownMemory(host memory.Limit) memory.Limit {
	if sharing := b.world.OnHost(); sharing > 1 {
		host.Bytes /= sharing
		host.Source += fmt.Sprintf(", shared by %d ranks", sharing)
	}
	return host
}
