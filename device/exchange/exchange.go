//go:build cuda

package exchange

import (
	"context"
	"fmt"
	"unsafe"

	"graph500/cluster"
	"graph500/device"
	"graph500/engine"
)

// Exchange copies data between the devices of a team. All ranks call its methods in the same
// order. After an error it can only be closed.
type Exchange interface {
	// Gather completes arrays of all devices, which are equally long: spans[k] is what device
	// number k has. Afterwards all devices have all spans. The arrays are those of the
	// devices of this process, by index. It reads them after the work queued before on their
	// devices, and work queued later sees the result.
	Gather(arrays []device.Array[byte], spans []Span) error

	// State returns why the exchange has failed, nil if it has not. What a Gather has brought
	// is known to be right if its state is nil after the devices have waited for it.
	State() error

	// Kind returns which exchange it is.
	Kind() engine.Exchange

	// HostBytes returns the bytes of the host's memory that it takes.
	HostBytes() uint64

	// Close frees its memory. Unless a rank has failed, all ranks must have seen the end of
	// the last Gather on their devices before.
	Close() error
}

// Open returns the exchange of a kind: over NCCL, over the hosts, or, without a kind, over NCCL
// if that works, else over the hosts, and the reason.
func Open(ctx context.Context, w *cluster.World, team *device.Team, kind engine.Exchange) (x Exchange, problem string, err error) {
	if kind != engine.HostExchange {
		x, err := OverNCCL(ctx, w, team)
		if err == nil || kind == engine.NCCLExchange || ctx.Err() != nil {
			return x, "", err
		}
		problem = fmt.Sprintf("the GPUs exchange data through the memory of the hosts, not by NCCL: %v", err)
	}
	x, err = OverHost(ctx, w, team)
	return x, problem, err
}

// Span is Count elements of an array from index First on.
type Span struct{ First, Count int }

// Gather is Exchange.Gather for arrays of any elements.
func Gather[T any](x Exchange, arrays []device.Array[T], spans []Span) error {
	raw, inBytes := make([]device.Array[byte], len(arrays)), make([]Span, len(spans))
	for i, a := range arrays {
		raw[i] = device.As[byte](a)
	}
	var element T
	size := int(unsafe.Sizeof(element))
	for k, s := range spans {
		inBytes[k] = Span{s.First * size, s.Count * size}
	}
	return x.Gather(raw, inBytes)
}

// check requires that there is an array for each device of the process, and that the spans
// lie within them.
func check(team *device.Team, arrays []device.Array[byte], spans []Span) error {
	if len(arrays) != len(team.Devices()) || len(spans) != team.Count() {
		return fmt.Errorf("exchange: %d arrays and %d spans for %d of %d devices", len(arrays), len(spans), len(team.Devices()), team.Count())
	}
	for _, s := range spans {
		for _, a := range arrays {
			if s.First < 0 || s.Count < 0 || s.Count > a.Len()-s.First {
				return fmt.Errorf("exchange: %d bytes from byte %d of an array of %d", s.Count, s.First, a.Len())
			}
		}
	}
	return nil
}
