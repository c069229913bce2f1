//go:build cuda

package device

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"graph500/engine"
)

// BlockThreads is the default number of threads per block of the kernels that
// HostLoop launches.
const BlockThreads = 256

// HostLoop is the level loop of searches that the host drives: one or more launches
// per level, with the host deciding after each level. It holds the module, counts
// the launches and records the profile.
type HostLoop struct {
	Module *Module

	counted    bool
	events     [2]*Event      // begin and end of a search
	levelStart time.Time      // of the current level
	profile    engine.Profile // of the last search
	launches   int64          // of the last search
}

// Open loads the module of that name, or its instrumented form if counted is true.
func (h *HostLoop) Open(d *Device, owner string, images fs.FS, name string, counted bool) (err error) {
	h.counted = counted
	if h.Module, err = d.Load(owner, images, Counted(name, counted)); err != nil {
		return err
	}
	for i := range h.events {
		if h.events[i], err = d.NewEvent(); err != nil {
			return err
		}
	}
	return nil
}

// Ready does nothing: a search of many launches makes ready for none of them.
func (h *HostLoop) Ready() error { return nil }

// Launch launches a kernel with at least that many threads, in blocks of
// BlockThreads.
func (h *HostLoop) Launch(k *Kernel, threads uint64, args ...uint64) error {
	return h.LaunchBlocks(k, (threads+BlockThreads-1)/BlockThreads, BlockThreads, 0, args...)
}

// LaunchBlocks launches a kernel with that many blocks, each of threads threads and
// shared bytes of dynamic shared memory.
func (h *HostLoop) LaunchBlocks(k *Kernel, blocks uint64, threads, shared int, args ...uint64) error {
	h.launches++
	return k.Launch(int(blocks), threads, shared, args...)
}

// Run runs a search: start, then step until it returns more == false or an error, or
// until ctx ends. A step executes one or more levels, waits for the device and calls
// AddLevel for each level.
func (h *HostLoop) Run(ctx context.Context, start func() error, step func() (more bool, err error)) error {
	if h.counted {
		if err := h.Module.ResetCounts(false); err != nil {
			return err
		}
	}
	h.profile.Reset()
	h.launches = 0
	if err := h.events[0].Record(); err != nil {
		return err
	}
	h.levelStart = time.Now()
	if err := start(); err != nil {
		return err
	}
	for more := true; more; {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		var err error
		if more, err = step(); err != nil {
			return err
		}
	}
	return h.events[1].Record()
}

// AddLevel records a finished level with its time, and starts the clock of the next
// level.
func (h *HostLoop) AddLevel(l engine.Level) {
	now := time.Now()
	l.Seconds = now.Sub(h.levelStart).Seconds()
	h.levelStart = now
	h.profile.Add(l)
}

// Levels returns the number of finished levels.
func (h *HostLoop) Levels() uint64 { return uint64(h.profile.LevelCount) }

// LevelRecords returns the recorded levels, the first engine.MaxLevels of the
// search. The caller may fill in their fields.
func (h *HostLoop) LevelRecords() []engine.Level { return h.profile.Levels }

// Profile returns the levels of the last search and its time by the device's clock.
// The levels are valid until the next search.
func (h *HostLoop) Profile() (engine.Profile, error) {
	elapsed, err := h.events[1].Since(h.events[0])
	h.profile.DeviceSeconds = elapsed.Seconds()
	return h.profile, err
}

// Counts returns the work counts of the last search. It is an error unless the loop
// was opened with counted.
func (h *HostLoop) Counts() (engine.Counts, error) {
	if !h.counted {
		return engine.Counts{}, errors.New("the search does not count its work")
	}
	c, err := h.Module.Counts()
	c.Launches = h.launches
	c.AddHost(h.profile)
	return c, err
}

// Close destroys the events.
func (h *HostLoop) Close() error { return errors.Join(h.events[0].Close(), h.events[1].Close()) }
