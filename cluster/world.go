// Package cluster connects the processes of one run, its ranks. It finds MPI at run time, provides
// the collective operations that the engines need, and ends all ranks when one of them fails. A
// process that no launcher started is a world of one rank and needs no MPI. This package knows
// neither graphs nor phases.
//
// # Start
//
// Detect reads the variables of the launcher (Open MPI, PMI, flux, srun, PMIx). Join loads the
// launcher's MPI with package library, without cgo: Open MPI 4 and 5, the interface of MPICH, or
// that of MPI 5; abi.go holds what differs. GRAPH500_MPI names another library. A process that was
// started as one of several, but finds no MPI or a world of another size, ends with one line.
//
// # End
//
// Every rank has a Watch, which exchanges messages with rank 0 on an MPI communicator of its own,
// from a goroutine (MPI_THREAD_SERIALIZED). All collective operations are nonblocking ones with
// MPI_Test, so that the watch works meanwhile. After a failure rank 0 ends the contexts of all
// ranks, waits for them for about a second, prints one message with rank, host and phase, and
// aborts. A rank without a message for five seconds has failed; if it is rank 0, rank 1 reports it.
// MPI_Init and MPI_Finalize have time limits of their own. MPI cannot cancel an operation and would
// go on to use its buffers, so an operation whose context has ended does not return.
//
// What only one rank can find out (a bad entry, a missing directory) becomes the error of all ranks
// by World.Agree and World.OnFirst.
package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"unsafe"
)

// World is this process's place among the ranks. The ranks call the collective
// operations in the same order, each from one goroutine at a time. An operation that
// waits when its context ends returns the cause or, over MPI, does not return, because
// MPI cannot cancel it and may still use its buffers. The process can then only end.
type World struct {
	rank, size int
	hosts      []string // by rank
	link       link     // nil in a world of one
	traffic    Traffic
	phase      atomic.Pointer[string]
}

// link carries data between ranks. The collective operations may run at the same time
// as one call of the others.
type link interface {
	// reduce replaces each value by the combination of all ranks' values.
	reduce(ctx context.Context, by operation, values []int64) error
	// allgather stores the equally long own parts of all ranks in all, by rank.
	allgather(ctx context.Context, own, all []byte) error
	// allgatherv is allgather with parts of the given lengths, in bytes.
	allgatherv(ctx context.Context, own, all []byte, bytes []int32) error
	// alltoall sends part i of in to rank i and stores what rank i sent as part i of
	// out. All parts have the same length.
	alltoall(ctx context.Context, in, out []byte) error
	// alltoallv is alltoall with parts of the given lengths, in bytes.
	alltoallv(ctx context.Context, in []byte, inBytes []int32, out []byte, outBytes []int32) error

	// send sends a message to a rank without waiting for it.
	send(to int, m *message) error
	// receive returns the next message of a rank; false if there is none.
	receive(from int, m *message) (bool, error)
	// clean reports whether all collective operations have ended.
	clean() bool
	// abort ends all ranks. It may return before their end.
	abort(status int)
	// finish leaves the world in order and ends this process.
	finish(status int)
	// exit ends this process without leaving the world.
	exit(status int)
}

// operation combines the values of the ranks.
type operation uint8

const (
	sum operation = iota
	minimum
	maximum
)

// Alone returns a world of one rank.
func Alone() *World {
	w := newWorld(0, 1, nil)
	w.hosts[0], _ = os.Hostname()
	return w
}

// Traffic is the data that a rank has exchanged with others, in bytes, without sums.
type Traffic struct{ Sent, Received uint64 }

// Most returns the larger one of the two directions since an earlier state.
func (t Traffic) Most(since Traffic) uint64 {
	return max(t.Sent-since.Sent, t.Received-since.Received)
}

func (t *Traffic) add(sent, received int) {
	t.Sent += uint64(sent)
	t.Received += uint64(received)
}

func newWorld(rank, size int, l link) *World {
	w := &World{rank: rank, size: size, hosts: make([]string, size), link: l}
	w.SetPhase("startup")
	return w
}

// Rank returns the number of this rank, 0..Size()-1.
func (w *World) Rank() int { return w.rank }

// Size returns the number of ranks.
func (w *World) Size() int { return w.size }

// Hosts returns the host names of all ranks, empty before Join has finished.
func (w *World) Hosts() []string { return w.hosts }

// Traffic returns what this rank has exchanged so far.
func (w *World) Traffic() Traffic { return w.traffic }

// Phase returns the name of the current phase.
func (w *World) Phase() string { return *w.phase.Load() }

// SetPhase names the current phase for messages about this rank.
func (w *World) SetPhase(name string) { w.phase.Store(&name) }

// Barrier returns when all ranks have called it.
func (w *World) Barrier(ctx context.Context) error { return w.Sum(ctx, make([]int64, 1)) }

// Sum replaces each value by the sum of all ranks' values.
func (w *World) Sum(ctx context.Context, values []int64) error { return w.reduce(ctx, sum, values) }

// Min replaces each value by the least of all ranks' values.
func (w *World) Min(ctx context.Context, values []int64) error { return w.reduce(ctx, minimum, values) }

// Max replaces each value by the largest of all ranks' values.
func (w *World) Max(ctx context.Context, values []int64) error { return w.reduce(ctx, maximum, values) }

// MaxSeconds returns the largest of all ranks' times, which must not be negative.
func (w *World) MaxSeconds(ctx context.Context, seconds float64) (float64, error) {
	bits := []int64{int64(math.Float64bits(seconds))} // in the order of the numbers
	err := w.Max(ctx, bits)
	return math.Float64frombits(uint64(bits[0])), err
}

func (w *World) reduce(ctx context.Context, by operation, values []int64) error {
	if w.size == 1 {
		return context.Cause(ctx)
	}
	return w.link.reduce(ctx, by, values)
}

// GatherBytes is the memory that Allgather takes at most, if the parts are larger.
const GatherBytes = 1 << 28

// Allgather stores the own parts of all ranks in all, by rank. The parts are equally
// long and do not overlap all.
func Allgather[T any](ctx context.Context, w *World, own, all []T) error {
	if len(all) != w.size*len(own) {
		return fmt.Errorf("cluster: %d elements of %d ranks do not fill %d", len(own), w.size, len(all))
	}
	if w.size == 1 {
		copy(all, own)
		return context.Cause(ctx)
	}
	w.traffic.add((w.size-1)*len(own)*sizeOf[T](), (w.size-1)*len(own)*sizeOf[T]())
	// In pieces: MPI counts bytes in 32 bits.
	step := max(1, GatherBytes/max(1, w.size*sizeOf[T]()))
	if len(own) <= step {
		return w.link.allgather(ctx, bytesOf(own), bytesOf(all))
	}
	part := make([]T, w.size*step)
	for lo := 0; lo < len(own); lo += step {
		n := min(step, len(own)-lo)
		if err := w.link.allgather(ctx, bytesOf(own[lo:lo+n]), bytesOf(part[:w.size*n])); err != nil {
			return err
		}
		for r := range w.size {
			copy(all[r*len(own)+lo:], part[r*n:(r+1)*n])
		}
	}
	return nil
}

// maxExchange is the largest number of bytes that a rank may receive in one Exchange.
const maxExchange = math.MaxInt32

// Exchanger holds the buffers of exchanges, for use again and again.
type Exchanger[T any] struct {
	world               *World
	outgoing, incoming  []T
	sentBytes, gotBytes []int32 // by rank
	sent, got           []exchangeHead
}

// exchangeHead is what a rank tells another one before the data of an exchange.
type exchangeHead struct {
	bytes  int32 // of the data for the other rank
	active int32 // 1 if the rank sends data to any rank, or is active without that
}

// NewExchanger returns an Exchanger for the ranks of w.
func NewExchanger[T any](w *World) *Exchanger[T] {
	return &Exchanger[T]{
		world: w, sentBytes: make([]int32, w.size), gotBytes: make([]int32, w.size),
		sent: make([]exchangeHead, w.size), got: make([]exchangeHead, w.size),
	}
}

// Exchange sends to each rank r what parts lists for it: parts[i][r] for every i. It
// returns what all ranks sent to this one, in the order of the ranks. The result is
// valid until the next call.
func (x *Exchanger[T]) Exchange(ctx context.Context, parts ...[][]T) ([]T, error) {
	received, _, err := x.ExchangeActive(ctx, false, parts...)
	return received, err
}

// ExchangeActive is Exchange. It also reports, the same on all ranks, whether any rank has
// sent anything or has called it with active set.
func (x *Exchanger[T]) ExchangeActive(ctx context.Context, active bool, parts ...[][]T) (received []T, anyActive bool, err error) {
	x.outgoing = x.outgoing[:0]
	size := sizeOf[T]()
	for r := range x.world.size {
		before := len(x.outgoing)
		for _, p := range parts {
			x.outgoing = append(x.outgoing, p[r]...)
		}
		n := (len(x.outgoing) - before) * size
		if n > maxExchange {
			return nil, false, fmt.Errorf("cluster: %d bytes are too many for one message", n)
		}
		x.sentBytes[r] = int32(n)
	}
	active = active || len(x.outgoing) > 0
	if x.world.size == 1 {
		return x.outgoing, active, context.Cause(ctx)
	}
	total, anyActive, err := x.exchangeHeads(ctx, active)
	if err != nil || !anyActive {
		return nil, false, err
	}
	if total > maxExchange || len(x.outgoing)*size > maxExchange {
		return nil, false, fmt.Errorf("cluster: %d bytes are too many for one exchange", max(total, len(x.outgoing)*size))
	}
	if n := total / size; cap(x.incoming) < n {
		x.incoming = make([]T, n, n+n/4)
	}
	x.incoming = x.incoming[:total/size]
	rank := x.world.rank
	x.world.traffic.add(len(x.outgoing)*size-int(x.sentBytes[rank]), total-int(x.gotBytes[rank]))
	err = x.world.link.alltoallv(ctx, bytesOf(x.outgoing), x.sentBytes, bytesOf(x.incoming), x.gotBytes)
	return x.incoming, true, err
}

// exchangeHeads tells each rank how much data follows. It returns the number of bytes that
// follow for this rank, and whether any rank is active.
func (x *Exchanger[T]) exchangeHeads(ctx context.Context, active bool) (total int, anyActive bool, err error) {
	for r, n := range x.sentBytes {
		x.sent[r] = exchangeHead{bytes: n}
		if active {
			x.sent[r].active = 1
		}
	}
	heads := (x.world.size - 1) * sizeOf[exchangeHead]()
	x.world.traffic.add(heads, heads)
	if err := x.world.link.alltoall(ctx, bytesOf(x.sent), bytesOf(x.got)); err != nil {
		return 0, false, err
	}
	for r, head := range x.got {
		x.gotBytes[r] = head.bytes
		total += int(head.bytes)
		anyActive = anyActive || head.active == 1
	}
	return total, anyActive, nil
}

// Strings returns the texts of all ranks, by rank.
func (w *World) Strings(ctx context.Context, text string) ([]string, error) {
	longest := []int64{int64(len(text))}
	if err := w.Max(ctx, longest); err != nil {
		return nil, err
	}
	const length = 8
	own := make([]byte, length+longest[0])
	*(*uint64)(unsafe.Pointer(&own[0])) = uint64(len(text))
	copy(own[length:], text)
	all := make([]byte, w.size*len(own))
	if err := Allgather(ctx, w, own, all); err != nil {
		return nil, err
	}
	texts := make([]string, w.size)
	for r := range texts {
		one := all[r*len(own):]
		texts[r] = string(one[length:][:*(*uint64)(unsafe.Pointer(&one[0]))])
	}
	return texts, nil
}

// Values returns the values of all ranks, by rank, as encoding/json passes them on.
func Values[T any](ctx context.Context, w *World, own T) ([]T, error) {
	text, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	texts, err := w.Strings(ctx, string(text))
	if err != nil {
		return nil, err
	}
	all := make([]T, len(texts))
	for r, text := range texts {
		if err := json.Unmarshal([]byte(text), &all[r]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func sizeOf[T any]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// bytesOf returns the memory of s.
func bytesOf[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*sizeOf[T]())
}
