package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// times are the times of a watch. A rank that stops answering ends the run within
// silence + grace + forward + abort and a few ticks.
type times struct {
	tick    time.Duration // between two looks at the messages
	alive   time.Duration // between two messages of a rank that works
	silence time.Duration // without a message, a rank has stopped answering
	grace   time.Duration // for the other ranks to end their work after a failure
	forward time.Duration // for the launcher to forward the message before an abort, after which it may lose it
	abort   time.Duration // for the launcher to end this process after an abort
	leave   time.Duration // for all ranks to leave the world after a complete run
}

// usualTimes end a run within ten seconds.
var usualTimes = times{
	tick: 50 * time.Millisecond, alive: 500 * time.Millisecond, silence: 5 * time.Second,
	grace: 1200 * time.Millisecond, forward: 300 * time.Millisecond, abort: time.Second,
	leave: 10 * time.Second,
}

// message is what ranks tell each other outside collective operations. It has a fixed
// length and contains no pointers.
type message struct {
	Kind   messageKind
	Status int32
	Phase  [64]byte // of the sender
	Text   [1024]byte
}

type messageKind int32

const (
	working messageKind = iota + 1 // every rank to the leader, the leader to every rank
	outcome                        // a rank to the leader: its work has ended
	stop                           // the leader to every rank: another rank has failed
	verdict                        // the leader to every rank: end with this status
	leaving                        // a rank to the leader: its last message
)

// Outcome is the end of a rank's work.
type Outcome struct {
	Status int    // exit status
	Text   string // message of one line; empty for success
}

// OutcomeOf returns the outcome of work that ended with err.
func OutcomeOf(status int, err error) Outcome {
	switch {
	case err == nil:
		return Outcome{}
	case errors.Is(err, errStopped):
		return Outcome{Status: 1, Text: errStopped.Error()}
	}
	return Outcome{Status: status, Text: err.Error()}
}

// silent is the text for a rank without messages.
const silent = "stopped answering"

// errStopped is the cause with which the work of a rank ends when another rank has
// failed.
var errStopped = errors.New("another rank has failed")

// errLeader is the cause when it is the leader that seems to have failed. If it answers after all, it reports this
// cause.
var errLeader = errors.New("rank 0 " + silent)

// Watch ends all ranks together. Each rank tells the leader, rank 0, every half second
// that it is alive, and how its work has ended. The leader decides how the run ends.
// When the leader stops answering, rank 1 reports it.
type Watch struct {
	times
	world  *World
	cancel context.CancelCauseFunc
	report func(text string) // prints the message of the run

	now     time.Duration // time of the watch, see advance
	seen    time.Time     // of now
	own     chan Outcome
	decided chan Outcome  // the end of this rank
	ranks   []member      // of the leader: all ranks; of the others: the leader only
	failing bool          // a failure is known
	failed  time.Duration // when it became known
	aborts  bool          // this rank aborts the world after a failure
}

// member is what a rank knows about another one.
type member struct {
	heard   time.Duration
	phase   string // in its last message
	ended   bool
	outcome Outcome
	left    bool
}

// StartWatch starts the watch of a rank. report prints the message of a failed run; it
// is called on one rank. The returned context ends when another rank fails.
func StartWatch(ctx context.Context, w *World, report func(text string)) (context.Context, *Watch) {
	return startWatch(ctx, w, usualTimes, report)
}

func startWatch(ctx context.Context, w *World, of times, report func(text string)) (context.Context, *Watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := &Watch{times: of, world: w, cancel: cancel, report: report, seen: time.Now(), own: make(chan Outcome, 1), decided: make(chan Outcome, 1)}
	t.ranks = make([]member, 1)
	if w.rank == 0 {
		t.ranks = make([]member, w.size)
	}
	for i := range t.ranks {
		t.ranks[i].phase = *w.phase.Load()
	}
	go t.run()
	return ctx, t
}

// End reports the end of this rank's work, waits for the other ranks and ends the
// process. All ranks end with the same status.
func (t *Watch) End(own Outcome) {
	t.own <- own
	end := <-t.decided
	link := t.world.link
	if end.Text == "" && link.clean() {
		left := make(chan struct{})
		defer close(left)
		go t.unleft(left) // MPI waits for the other ranks
		link.finish(end.Status)
		return
	}
	if t.aborts {
		time.Sleep(t.forward)
		link.abort(end.Status)
	}
	time.Sleep(t.abort) // the launcher ends this process
	link.exit(end.Status)
}

// unleft ends this process, whose run is complete, when another rank does not leave the world.
// Rank 0 reports it, or rank 1 if rank 0 does not end meanwhile. Its exit makes the launcher end
// the others: mpirun of Open MPI 4 can hang if several processes fail at once. So the time is that
// of the watch: mpirun continues a stopped rank to end it, and that rank must not fail as well.
func (t *Watch) unleft(left <-chan struct{}) {
	ticker := time.NewTicker(t.tick)
	defer ticker.Stop()
	t.advance()
	end := t.now + t.leave + 2*t.abort*time.Duration(min(t.world.rank, 2))
	for ; t.now < end; t.advance() {
		select {
		case <-left:
			return
		case <-ticker.C:
		}
	}
	if t.world.rank <= 1 {
		t.report(fmt.Sprintf("the run is complete, but not all ranks have left MPI within %v: one is stopped", t.leave))
	}
	t.world.link.exit(1)
}

// run exchanges messages until this rank's end is decided.
func (t *Watch) run() {
	ticker := time.NewTicker(t.tick)
	defer ticker.Stop()
	told := -t.alive
	for {
		select {
		case own := <-t.own:
			t.tell(0, outcome, own)
			if t.world.rank == 0 {
				t.ranks[0].ended, t.ranks[0].outcome = true, own
			}
		case <-ticker.C:
		}
		t.advance()
		if t.now-told >= t.alive {
			told = t.now
			t.tellAll(working, Outcome{})
		}
		end, ended := t.listen()
		if ended {
			t.decided <- end
			return
		}
	}
}

// advance advances the time of the watch. This time does not pass while this process is
// stopped, for instance together with the whole machine. Otherwise the others would seem
// to have been silent.
func (t *Watch) advance() {
	t.now += min(time.Since(t.seen), 4*t.tick)
	t.seen = time.Now()
}

// tell sends a message to a rank, except to this one.
func (t *Watch) tell(to int, kind messageKind, o Outcome) {
	if to == t.world.rank {
		return
	}
	m := &message{Kind: kind, Status: int32(o.Status)}
	copy(m.Phase[:], *t.world.phase.Load())
	copy(m.Text[:], o.Text)
	_ = t.world.link.send(to, m) // a rank that hears nothing ends the run
}

// tellAll sends a message to every rank if this one is the leader, else to the leader.
func (t *Watch) tellAll(kind messageKind, o Outcome) {
	for to := range t.ranks {
		t.tell(to, kind, o)
	}
}

// listen handles all messages that have arrived. It reports whether and how this rank
// ends.
func (t *Watch) listen() (end Outcome, ended bool) {
	for from := range t.ranks {
		if from == t.world.rank {
			continue
		}
		var m message
		for {
			arrived, err := t.world.link.receive(from, &m)
			if err != nil || !arrived {
				break
			}
			if end, ended = t.handle(from, &m); ended {
				return end, true
			}
		}
	}
	if t.world.rank == 0 {
		return t.lead()
	}
	return t.follow()
}

// handle handles one message.
func (t *Watch) handle(from int, m *message) (end Outcome, ended bool) {
	r := &t.ranks[from]
	r.heard, r.phase = t.now, textOf(m.Phase[:])
	o := Outcome{Status: int(m.Status), Text: textOf(m.Text[:])}
	switch m.Kind {
	case outcome:
		if !r.ended { // else it came too late
			r.ended, r.outcome = true, o
		}
	case stop:
		t.cancel(errStopped)
	case verdict:
		t.tell(from, leaving, Outcome{})
		return o, true
	case leaving:
		r.left = true
	}
	return end, false
}

// textOf returns the text before the first zero.
func textOf(b []byte) string {
	if i := slices.Index(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

// lead decides how the run ends: when all ranks have ended, or a while after one has
// failed or stopped answering.
func (t *Watch) lead() (end Outcome, ended bool) {
	all := true
	for i := range t.ranks {
		r := &t.ranks[i]
		if succeeded := !r.ended || r.outcome.Status == 0; i > 0 && succeeded && t.now-r.heard > t.silence {
			r.ended = true
			r.outcome = Outcome{Status: 1, Text: silent}
			r.phase = *t.world.phase.Load() // the ranks begin a phase together, and its last message is older
		}
		if r.ended && r.outcome.Status != 0 && !t.failing {
			t.fail(errStopped)
			t.tellAll(stop, Outcome{})
		}
		all = all && r.ended
	}
	if !all && (!t.failing || t.now-t.failed < t.grace) {
		return end, false
	}
	end = t.summary()
	if end.Text != "" {
		t.report(end.Text)
	}
	if t.agreed() {
		end.Text = "" // every rank can leave the world in order
	}
	t.aborts = true
	t.tellAll(verdict, end)
	if end.Text == "" {
		t.awaitLeaving()
	}
	return end, true
}

// awaitLeaving receives the last messages of the other ranks, because some MPI libraries
// complain about messages that nobody has received.
func (t *Watch) awaitLeaving() {
	for from := 1; from < len(t.ranks); from++ {
		for begin := time.Now(); !t.ranks[from].left && time.Since(begin) < t.grace; {
			var m message
			if arrived, err := t.world.link.receive(from, &m); err != nil {
				return
			} else if arrived {
				t.handle(from, &m)
			} else {
				time.Sleep(t.tick / 50)
			}
		}
	}
}

// fail ends the work of this rank because of another one.
func (t *Watch) fail(cause error) {
	t.failing, t.failed = true, t.now
	t.cancel(cause)
}

// agreed reports whether all ranks have ended with the same outcome.
func (t *Watch) agreed() bool {
	return !slices.ContainsFunc(t.ranks, func(r member) bool { return !r.ended || r.outcome != t.ranks[0].outcome })
}

// summary returns the outcome of the run: success, or the first failed rank's outcome
// that is no consequence of another one.
func (t *Watch) summary() Outcome {
	if t.agreed() {
		return t.ranks[0].outcome
	}
	for i, r := range t.ranks {
		if !r.ended || r.outcome.Status == 0 || r.outcome.Text == errStopped.Error() {
			continue
		}
		phase := r.phase
		if i == 0 {
			phase = *t.world.phase.Load()
		}
		return Outcome{Status: r.outcome.Status, Text: t.describe(i, phase, r.outcome.Text)}
	}
	return Outcome{Status: 1, Text: errStopped.Error()}
}

// describe names the rank of a failure, its host and phase.
func (t *Watch) describe(rank int, phase, text string) string {
	return fmt.Sprintf("rank %d on %s, in phase %q: %s", rank, t.world.hosts[rank], phase, text)
}

// follow decides how this rank ends when the leader has stopped answering.
func (t *Watch) follow() (end Outcome, ended bool) {
	leader := &t.ranks[0]
	if t.now-leader.heard <= t.silence {
		return end, false
	}
	if !t.failing {
		t.fail(errLeader)
	}
	if t.now-t.failed < t.grace {
		return end, false
	}
	end = Outcome{Status: 1, Text: t.describe(0, *t.world.phase.Load(), silent)}
	if t.world.rank == 1 {
		t.report(end.Text)
		t.aborts = true
	}
	return end, true
}
