//go:build cuda

package techniques

import (
	"context"
	"errors"
	"time"

	"graph500/engine"
	"graph500/kernels"
)

// blockThreads is the number of threads of a block where nothing asks for
// another.
const blockThreads = 256

// steered is what all searches share that the host takes from level to level:
// their module, the launches, the levels and the clock.
type steered struct {
	module   *kernels.Module
	counted  bool
	events   [2]*kernels.Event // begin and end of a search
	began    time.Time         // of the level under way
	profile  engine.Profile    // of the last search
	launches int64             // likewise
}

// open loads the module of that name.
func (s *steered) open(d *kernels.Device, name string, counted bool) (err error) {
	s.counted = counted
	if counted {
		name = kernels.CountedName(name)
	}
	if s.module, err = d.Load(images, name); err != nil {
		return err
	}
	for i := range s.events {
		if s.events[i], err = d.NewEvent(); err != nil {
			return err
		}
	}
	return nil
}

// launch starts a kernel in as many full blocks as that many threads need.
func (s *steered) launch(k *kernels.Kernel, threads uint64, args ...uint64) error {
	return s.launchBlocks(k, (threads+blockThreads-1)/blockThreads, blockThreads, args...)
}

// launchBlocks starts a kernel in that many blocks of that many threads.
func (s *steered) launchBlocks(k *kernels.Kernel, blocks uint64, threads int, args ...uint64) error {
	s.launches++
	return k.Launch(int(blocks), threads, 0, args...)
}

// search begins a search with start and goes on with step until that says that
// it was the last one or fails, or until ctx ends. A step is one level, or
// several; it waits for the device and enters what it did by note.
func (s *steered) search(ctx context.Context, start func() error, step func() (more bool, err error)) error {
	if s.counted {
		if err := s.module.ResetCounts(); err != nil {
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

// note enters a level that has ended; the next one begins.
func (s *steered) note(l engine.Level) {
	now := time.Now()
	l.Time = now.Sub(s.began)
	s.began = now
	s.profile.Add(l)
}

// turn is the number of levels that have ended, modulo 2: which of two frontiers
// used in turn the next level begins with.
func (s *steered) turn() int { return int(s.profile.LevelCount % 2) }

// Profile returns the levels of the last search, valid until the next, and what
// the device's own clock says of it.
func (s *steered) Profile() (engine.Profile, error) {
	var err error
	s.profile.Device, err = s.events[1].Since(s.events[0])
	return s.profile, err
}

// Counts returns what the last search did; it must be a counted one.
func (s *steered) Counts() (engine.Counts, error) {
	if !s.counted {
		return engine.Counts{}, errors.New("the search does not count")
	}
	c, err := s.module.Counts()
	c.Launches = s.launches
	return c, err
}

// Close gives back what open took.
func (s *steered) Close() error {
	return errors.Join(s.events[0].Close(), s.events[1].Close(), s.module.Close())
}

// made returns a search that allocate has made ready, or closes what there is
// of it.
func made(s Search, err error) (Search, error) {
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// searching is a line of a plan, alive while searches go on.
func searching(name string, bytes uint64) engine.Allocation {
	return engine.Allocation{Name: name, Bytes: bytes, Phase: engine.Searching}
}
