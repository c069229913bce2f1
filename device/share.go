//go:build cuda

package device

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"

	"graph500/memory"
)

// CheckShare returns why the processes of a team on one host cannot Share host memory, the same on
// all: the machine can keep them from each other, as those of several containers.
func CheckShare(t *Team) error {
	type offer struct {
		name  memory.Shared
		token uint64
	}
	token, name, err := memory.AllocShared[uint64](1)
	own := offer{name, rand.Uint64()}
	if err == nil {
		token[0] = own.token
		defer func() { _ = errors.Join(name.Close(), memory.Free(token)) }()
	}
	all, gathered := Gather(t, slices.Repeat([]offer{own}, len(t.devices)))
	if gathered != nil {
		return gathered
	}
	for k, other := range all {
		seen, openErr := memory.MapShared[uint64](other.name, 1)
		switch {
		case err != nil:
		case openErr != nil:
			err = openErr
		case seen[0] != other.token:
			err = fmt.Errorf("rank %d has other process numbers", k/len(t.devices))
		}
		_ = memory.Free(seen)
	}
	for _, d := range t.devices {
		if err == nil && d.properties.hostPointers == 0 {
			err = fmt.Errorf("%s does not read the memory of the host by its addresses", d.properties.Name)
		}
	}
	return t.world.Agree(t.ctx, err) // each keeps its memory until all have read it
}

// exportedHost describes an array in host memory to other ranks.
type exportedHost struct {
	process int64
	address uint64 // in that process
	length  int64
	name    memory.Shared
}

// Share lets the devices of a team reach the arrays of all (IntroduceHost): own are those of the
// devices of this process, which Locked has allocated as shared if the team has several ranks. A
// process page-locks the memory of the others, which takes long; advance is as in Locking. Free of an own array ends it.
func Share[T any](ctx context.Context, t *Team, own []*HostArray[T], advance func(bytes int)) error {
	if t.Alone() {
		return nil
	}
	places := make([]exportedHost, len(own))
	for i, a := range own {
		if a.name == nil {
			return errors.New("host memory that other processes cannot map")
		}
		places[i] = exportedHost{int64(os.Getpid()), a.address, int64(len(a.host)), *a.name}
	}
	all, err := Gather(t, places)
	if err != nil {
		return err
	}
	reached := make([]Array[T], len(all))
	for k, p := range all {
		reached[k] = Array[T]{nil, "host memory", p.address, int(p.length)}
		if p.process == int64(os.Getpid()) { // or a rank of a test (cluster.InProcess)
			continue
		}
		other, err := open[T](ctx, t.devices[0], p, advance)
		if err != nil {
			return fmt.Errorf("host memory of GPU %d of rank %d: %w", k%len(t.devices), k/len(t.devices), err)
		}
		own[0].opened = append(own[0].opened, other)
		reached[k].address = other.address
	}
	for i, a := range own {
		a.team = slices.Clone(reached)
		for k := range a.team {
			a.team[k].device = t.devices[i]
		}
	}
	if err := t.Wait(); err != nil {
		return err
	}
	for _, a := range own { // all have mapped it
		if err := a.name.Close(); err != nil {
			return err
		}
		a.name = nil
	}
	return nil
}

// open maps and page-locks an array of another process.
func open[T any](ctx context.Context, d *Device, p exportedHost, advance func(bytes int)) (*HostArray[T], error) {
	host, err := memory.MapShared[T](p.name, int(p.length))
	if err != nil {
		return nil, err
	}
	if err := d.lock(ctx, bytesOf(host), false, advance); err != nil {
		return nil, errors.Join(err, memory.Free(host))
	}
	return locked(d, host), nil
}

// IntroduceHost is Introduce for arrays in host memory: those of several ranks after Share.
func IntroduceHost[T any](t *Team, own func(i int) *HostArray[T], seen func(i, k int) *Array[T]) error {
	for i := range t.devices {
		if !t.Alone() && own(i).team == nil {
			return errors.New("host memory that the other ranks do not share")
		}
		for k := range t.Count() {
			if t.Alone() {
				*seen(i, k) = own(k).Mapped()
			} else {
				*seen(i, k) = own(i).team[k]
			}
		}
	}
	return nil
}
