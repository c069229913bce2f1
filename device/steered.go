//go:build cuda

package device

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"graph500/engine"
)

// BlockThreads is the number of threads of a block of the kernels that Steered
// launches, where nothing asks for another.
const BlockThreads = 256

// Steered is what all searches share that the host takes from level to level:
// their module, the launches, the levels and the clock.
type Steered struct {
	Module *Module

	counted  bool
	events   [2]*Event      // begin and end of a search
	began    time.Time      // of the level under way
	profile  engine.Profile // of the last search
	launches int64          // likewise
}

// Open loads the module of that name, or its twin that counts.
func (s *Steered) Open(d *Device, owner string, images fs.FS, name string, counted bool) (err error) {
	s.counted = counted
	if s.Module, err = d.Load(owner, images, Counted(name, counted)); err != nil {
		return err
	}
	for i := range s.events {
		if s.events[i], err = d.NewEvent(); err != nil {
			return err
		}
	}
	return nil
}

// Launch starts a kernel in as many full blocks as that many threads need.
func (s *Steered) Launch(k *Kernel, threads uint64, args ...uint64) error {
	return s.LaunchBlocks(k, (threads+BlockThreads-1)/BlockThreads, BlockThreads, 0, args...)
}

// LaunchBlocks starts a kernel in that many blocks of that many threads, with so
// many bytes of dynamic shared memory each.
func (s *Steered) LaunchBlocks(k *Kernel, blocks uint64, threads, shared int, args ...uint64) error {
	s.launches++
	return k.Launch(int(blocks), threads, shared, args...)
}

// Run begins a search with start and goes on with step until that says that it
// was the last one or fails, or until ctx ends. A step is one level, or several;
// it waits for the device and enters what it did by Note.
func (s *Steered) Run(ctx context.Context, start func() error, step func() (more bool, err error)) error {
	if s.counted {
		if err := s.Module.ResetCounts(); err != nil {
			return err
		}
	}
	s.profile.Reset()
	s.launches = 0
	if err := s.events[0].Record(); err != nil {
		return err
	}
	s.began = time.Now()
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
	return s.events[1].Record()
}

// Note enters a level that has ended; the next one begins.
func (s *Steered) Note(l engine.Level) {
	now := time.Now()
	l.Seconds = now.Sub(s.began).Seconds()
	s.began = now
	s.profile.Add(l)
}

// Levels is the number of levels that have ended.
func (s *Steered) Levels() uint64 { return uint64(s.profile.LevelCount) }

// Noted returns the levels that are kept, to complete them.
func (s *Steered) Noted() []engine.Level { return s.profile.Levels }

// Profile returns the levels of the last search, valid until the next, and what
// the device's own clock says of it.
func (s *Steered) Profile() (engine.Profile, error) {
	elapsed, err := s.events[1].Since(s.events[0])
	s.profile.DeviceSeconds = elapsed.Seconds()
	return s.profile, err
}

// Counts returns what the last search did; it must be a counted one.
func (s *Steered) Counts() (engine.Counts, error) {
	if !s.counted {
		return engine.Counts{}, errors.New("the search does not count")
	}
	c, err := s.Module.Counts()
	c.Launches = s.launches
	return c, err
}

// Close gives back what Open took.
func (s *Steered) Close() error { return errors.Join(s.events[0].Close(), s.events[1].Close()) }
