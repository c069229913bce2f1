//go:build cuda

package device

import (
	"context"
	"slices"
)

// TeamKernel launches one persistent kernel on each device of this process's part of a team.
// The kernels of all devices wait for each other. A launch takes the host 4 µs, so all are
// launched at the same time (Team.Each).
type TeamKernel struct {
	team    *Team
	kernels []*Persistent
}

// NewTeamKernel joins the kernels of the devices of this process. No kernel may be loaded
// while one waits for it; none is, because a launch graph is uploaded when it is prepared.
func NewTeamKernel(team *Team, kernels []*Persistent) *TeamKernel {
	return &TeamKernel{team, kernels}
}

// Ready makes ready for a Run that follows at once (Persistent.Ready).
func (t *TeamKernel) Ready() error {
	return t.team.Each(func(i int) error { return t.kernels[i].Ready() })
}

// Run launches the kernels and waits for the end of all of this process, as Persistent.Run
// does. If a device fails, the others are asked to stop, also those that wait for it in a
// barrier. ctx ends if another rank fails.
func (t *TeamKernel) Run(ctx context.Context, argument uint64) error {
	if len(t.kernels) == 1 {
		return t.kernels[0].Run(ctx, argument)
	}
	r := &teamRun{kernels: t.kernels}
	started := make([]bool, len(t.kernels))
	r.stopFor(t.team.Each(func(i int) error {
		err := t.kernels[i].start(argument)
		started[i] = err == nil
		return err
	}))
	for i, k := range t.kernels {
		if started[i] {
			r.running = append(r.running, k)
		}
	}
	for len(r.running) > 0 {
		r.running = slices.DeleteFunc(r.running, func(k *Persistent) bool {
			done, err := k.device.Await(k.Done, endPolls/len(t.kernels))
			r.stopFor(err)
			return done || err != nil
		})
		if ctx.Err() != nil {
			r.stopFor(context.Cause(ctx))
		}
	}
	for _, k := range t.kernels {
		k.ask(0)
	}
	return r.cause
}

// teamRun is the state of one call of TeamKernel.Run.
type teamRun struct {
	kernels, running []*Persistent
	cause            error // of the end before the kernels have ended; nil if there is none
}

// stopFor asks all kernels to stop, unless err is nil.
func (r *teamRun) stopFor(err error) {
	if err == nil || r.cause != nil {
		return
	}
	r.cause = err
	for _, k := range r.kernels {
		k.ask(1)
	}
}
