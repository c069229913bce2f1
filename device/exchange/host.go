//go:build cuda

package exchange

import (
	"context"

	"graph500/cluster"
	"graph500/device"
	"graph500/engine"
)

// hostBytes is the memory of the host for the data of all devices: enough that the time of
// a copy is that of its bytes.
const hostBytes = 64 << 20

// host is the exchange over the memory of the hosts: copies to it, an allgather of the
// ranks, and copies to the devices.
type host struct {
	ctx   context.Context
	world *cluster.World
	team  *device.Team
	all   *device.HostArray[byte] // the pieces of all devices
	own   *device.HostArray[byte] // those of the devices of this process
}

// OverHost returns the exchange over the memory of the hosts.
func OverHost(ctx context.Context, w *cluster.World, team *device.Team) (Exchange, error) {
	return overHost(ctx, w, team, hostBytes)
}

// overHost is OverHost with about that many bytes of the host's memory.
func overHost(ctx context.Context, w *cluster.World, team *device.Team, bytes int) (Exchange, error) {
	x := &host{ctx: ctx, world: w, team: team}
	first, devices := team.Devices()[0], len(team.Devices())
	piece := bytes / team.Count()
	var err error
	if x.all, err = device.Uncleared[byte](first, piece*team.Count()); err != nil {
		return nil, err
	}
	if x.own, err = device.Uncleared[byte](first, piece*devices); err != nil {
		_ = x.all.Free() // the first error is the cause
		return nil, err
	}
	return x, nil
}

func (x *host) Kind() engine.Exchange { return engine.HostExchange }

func (x *host) HostBytes() uint64 { return uint64(len(x.all.Host()) + len(x.own.Host())) }

// Gather copies piece by piece. In a piece, all devices have the same number of bytes, of
// which some are not used.
func (x *host) Gather(arrays []device.Array[byte], spans []Span) error {
	if err := check(x.team, arrays, spans); err != nil {
		return err
	}
	longest := 0
	for _, s := range spans {
		longest = max(longest, s.Count)
	}
	most := len(x.all.Host()) / len(spans)
	for at := 0; at < longest; at += most {
		if err := x.gatherPiece(arrays, spans, at, min(most, longest-at)); err != nil {
			return err
		}
	}
	return x.State()
}

// gatherPiece copies bytes at to at+n-1 of each span, as far as it has them.
func (x *host) gatherPiece(arrays []device.Array[byte], spans []Span, at, n int) error {
	part := func(k int) (first, bytes int) { return spans[k].First + at, min(n, spans[k].Count-at) }
	own, all := x.own.Host()[:n*len(arrays)], x.all.Host()[:n*len(spans)]
	if err := x.team.Each(func(i int) error {
		first, bytes := part(x.team.First() + i)
		if bytes <= 0 {
			return nil
		}
		return arrays[i].Read(first, own[i*n:][:bytes])
	}); err != nil {
		return err
	}
	if err := cluster.Allgather(x.ctx, x.world, own, all); err != nil {
		return err
	}
	return x.team.Each(func(i int) error {
		for k := range spans {
			first, bytes := part(k)
			if k == x.team.First()+i || bytes <= 0 {
				continue
			}
			if err := arrays[i].Write(first, all[k*n:][:bytes]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (x *host) State() error { return context.Cause(x.ctx) }

func (x *host) Close() error {
	err := x.own.Free()
	if e := x.all.Free(); err == nil {
		err = e
	}
	return err
}
