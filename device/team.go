//go:build cuda

package device

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"gorgonia.org/cu"

	"graph500/cluster"
	"graph500/device/driver"
)

// MostTogether is the largest number of devices of a team. Kernels get an array of each of
// them as parameters.
const MostTogether = 16

// Team is the devices that work together and access each other's memory: those of this
// process and, if it is one of several ranks on a host, those of the other ranks. All ranks
// have the same number of devices. A device's number counts through the ranks in their
// order.
//
// Kernels access the arrays of other ranks through the arenas of their devices, which
// Connect opens (CUDA IPC). All ranks call the methods of a team in the same order; a rank
// whose work has failed calls none of them any more, and the watch of the cluster ends the
// others.
type Team struct {
	ctx     context.Context // of the run; it ends when another rank fails
	world   *cluster.World
	devices []*Device  // of this process
	arenas  [][]uint64 // by own device and number of the other: address of the arena of another rank, else 0
	opened  []opened
	threads *teamThreads // of the devices of this process; nil before the first work of several
}

// opened is an arena of another process that a device has opened.
type opened struct {
	by      *Device
	address uint64
}

// Access says how the devices of a team reach each other's memory.
type Access uint8

const (
	PeerAccess  Access = iota // each reads and writes the memory of all others
	Distributed               // they do not: what they need of each other, package exchange copies
)

// NewTeam returns the team of the ranks of a world with these devices of this process. Tests
// give the same device several times. With PeerAccess all ranks are on one host, and NewTeam
// fails if a device cannot access the memory of another one. Distributed devices are on any
// hosts and of any number; Connect and Reach are not for them.
func NewTeam(ctx context.Context, w *cluster.World, devices []*Device, access Access) (*Team, error) {
	t := &Team{ctx: ctx, world: w, devices: devices}
	if access == Distributed {
		return t, nil
	}
	t.arenas = make([][]uint64, len(devices))
	if count := t.Count(); count > MostTogether {
		return nil, fmt.Errorf("%d GPUs, but at most %d search together", count, MostTogether)
	}
	if err := enablePeers(devices); err != nil {
		return nil, err
	}
	return t, t.checkOthers()
}

// Devices returns the devices of this process. Their numbers begin with First.
func (t *Team) Devices() []*Device { return t.devices }

// First returns the number of the first device of this process.
func (t *Team) First() int { return t.world.Rank() * len(t.devices) }

// Count returns the number of devices of all ranks.
func (t *Team) Count() int { return t.world.Size() * len(t.devices) }

// Alone reports whether all devices are those of this process.
func (t *Team) Alone() bool { return t.world.Size() == 1 }

// isOwn reports whether the device of a number is of this process.
func (t *Team) isOwn(number int) bool {
	return number >= t.First() && number < t.First()+len(t.devices)
}

// Together calls do for all devices of this process, by their index in Devices:
// concurrently for different devices, and in order for those that are the same device. It
// returns the error of the smallest index that has one. An index whose device had an error
// before is left out. Without an error it returns when all ranks have done the same. One
// goroutine at a time calls it; do calls no method of the team.
func (t *Team) Together(do func(i int) error) error {
	if err := t.Each(do); err != nil {
		return err
	}
	return t.Wait()
}

// Each is Together without waiting for the other ranks. Several devices have an OS thread each,
// the same in all calls; one device has that of the caller.
func (t *Team) Each(do func(i int) error) error {
	if len(t.devices) == 1 {
		return do(0)
	}
	if t.threads == nil {
		t.threads = newTeamThreads(t.devices)
	}
	errs := make([]error, len(t.devices))
	t.threads.do(func(device int) {
		for _, i := range t.threads.indices[device] {
			if errs[i] = do(i); errs[i] != nil {
				return
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Wait returns when all ranks have called it.
func (t *Team) Wait() error {
	if t.Alone() {
		return nil
	}
	return t.world.Barrier(t.ctx)
}

// Gather returns the values of all devices, by number, from those of the devices of this
// process. T has no pointers.
func Gather[T any](t *Team, own []T) ([]T, error) {
	if t.Alone() {
		return own, nil
	}
	all := make([]T, t.Count())
	return all, cluster.Allgather(t.ctx, t.world, own, all)
}

// Sum replaces each value by the sum over all ranks.
func (t *Team) Sum(values []int64) error {
	if t.Alone() {
		return nil
	}
	return t.world.Sum(t.ctx, values)
}

// Connect opens the arenas of the other ranks, once all are reserved.
func (t *Team) Connect() error {
	if t.Alone() {
		return nil
	}
	own := make([]exported, len(t.devices))
	for i, d := range t.devices {
		handle, err := d.exportArena()
		if err != nil {
			return err
		}
		own[i] = exported{int64(os.Getpid()), d.arena.base, handle}
	}
	all, err := Gather(t, own)
	if err != nil {
		return err
	}
	for i := range t.devices {
		t.arenas[i] = make([]uint64, len(all))
		for k, other := range all {
			if t.isOwn(k) {
				continue
			}
			if t.arenas[i][k], err = t.open(i, other); err != nil {
				return fmt.Errorf("memory of GPU %d of rank %d: %w", k%len(t.devices), k/len(t.devices), err)
			}
		}
	}
	return t.Wait()
}

// exported describes an arena to other ranks.
type exported struct {
	process int64
	base    uint64 // address in the process
	handle  driver.MemoryHandle
}

// open returns the address at which device i accesses the arena of another rank. Ranks of
// one process are those of tests (cluster.InProcess), whose devices are peers already; a
// process cannot open its own memory.
func (t *Team) open(i int, other exported) (address uint64, err error) {
	if other.process == int64(os.Getpid()) {
		return other.base, nil
	}
	d := t.devices[i]
	if address, err = d.openArena(other.handle); err == nil {
		t.opened = append(t.opened, opened{d, address})
	}
	return address, err
}

// Reach returns for each device of this process, by index, the arrays of all devices, by
// number, as it accesses them. own are the arrays of the devices of this process, in their
// arenas. The host can copy elements of the result like those of an own array.
func Reach[T any](t *Team, own []Array[T]) (seen [][]Array[T], err error) {
	type place struct {
		offset    uint64 // in the arena; modulo 2^64, because an array that is Based can begin before it
		length    int64
		allocated bool
	}
	if t.Alone() {
		return slices.Repeat([][]Array[T]{own}, len(t.devices)), nil
	}
	places := make([]place, len(own))
	for i, a := range own {
		places[i] = place{a.address - t.devices[i].arena.base, int64(a.n), a.address != 0}
	}
	all, err := Gather(t, places)
	if err != nil {
		return nil, err
	}
	for i, d := range t.devices {
		arrays := make([]Array[T], len(all))
		for k, p := range all {
			switch {
			case t.isOwn(k):
				arrays[k] = own[k-t.First()]
			case p.allocated:
				arrays[k] = Array[T]{d, own[i].name, t.arenas[i][k] + p.offset, int(p.length)}
			}
		}
		seen = append(seen, arrays)
	}
	return seen, nil
}

// Introduce is Reach for what the devices of this process keep apiece: own returns the array of
// device i of this process, and seen where it keeps that of device number k, as it accesses it.
func Introduce[T any](t *Team, own func(i int) Array[T], seen func(i, k int) *Array[T]) error {
	arrays := make([]Array[T], len(t.devices))
	for i := range arrays {
		arrays[i] = own(i)
	}
	all, err := Reach(t, arrays)
	for i, arrays := range all {
		for k, a := range arrays {
			*seen(i, k) = a
		}
	}
	return err
}

// Close ends the threads and closes the arenas of the other ranks. Their processes must not free
// them before, so that a device of one of several ranks is not closed: its process ends together
// with the others. Close of nil does nothing.
func (t *Team) Close() error {
	if t == nil {
		return nil
	}
	var errs []error
	for _, o := range t.opened {
		errs = append(errs, o.by.closeArena(o.address))
	}
	t.opened = nil
	if t.threads != nil {
		t.threads.close()
		t.threads = nil
	}
	return errors.Join(errs...)
}

// checkOthers returns an error if a device of this process cannot access the memory of a
// device of another rank. GPUs that this process does not see are not known to the driver's
// check; Connect fails for them.
func (t *Team) checkOthers() error {
	if t.Alone() {
		return nil
	}
	type id [32]byte
	own := make([]id, len(t.devices))
	for i, d := range t.devices {
		copy(own[i][:], d.properties.BusID)
	}
	all, err := Gather(t, own)
	if err != nil {
		return err
	}
	visible, err := BusIDs()
	if err != nil {
		return err
	}
	for ordinal, text := range visible {
		var other id
		copy(other[:], text)
		if !slices.Contains(all, other) {
			continue
		}
		for i, d := range t.devices {
			if own[i] == other {
				continue
			}
			if err := d.checkPeer(cu.Device(ordinal)); err != nil {
				return err
			}
		}
	}
	return nil
}

// exportArena returns the handle by which other processes open the device's arena.
func (d *Device) exportArena() (h driver.MemoryHandle, err error) {
	if d.arena.base == 0 {
		return h, errors.New("the device has no arena that other processes could open")
	}
	err = d.do(func() error {
		h, err = driver.ExportMemory(d.arena.base)
		return failed("cuIpcGetMemHandle", err)
	})
	return h, err
}

// openArena returns the address at which the device accesses another process's arena.
func (d *Device) openArena(h driver.MemoryHandle) (address uint64, err error) {
	err = d.do(func() error {
		address, err = driver.OpenMemory(h)
		return failed("cuIpcOpenMemHandle", err)
	})
	return address, err
}

func (d *Device) closeArena(address uint64) error {
	return d.do(func() error { return failed("cuIpcCloseMemHandle", driver.CloseMemory(address)) })
}
