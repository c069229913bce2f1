package parallel

import (
	"sync/atomic"
	"time"
)

// patience is how long waiting workers look before they sleep. On processors of their own they look
// long, because waking is slow. Where they share processors with other work, a worker that looks
// keeps the awaited one from running, so they look briefly.
type patience struct {
	start     time.Time
	rounds    atomic.Int64 // looks before sleep
	judged    atomic.Int64 // time of the last judgement since start, ns
	preempted atomic.Int64 // preemptions of the process until then
}

// window is the least time between two judgements.
const window = 20 * time.Millisecond

func newPatience() *patience {
	p := &patience{start: time.Now()}
	p.rounds.Store(mostRounds)
	p.preempted.Store(preemptions())
	return p
}

// consider judges anew if a window has passed. A worker calls it that has waited in vain.
func (p *patience) consider(workers int) {
	last, now := p.judged.Load(), int64(time.Since(p.start))
	if now-last < int64(window) || !p.judged.CompareAndSwap(last, now) {
		return
	}
	total := preemptions()
	p.judge(total-p.preempted.Swap(total), workers, time.Duration(now-last))
}

// judge makes the waits short if the process was preempted more often than once a worker in each
// window of a time. Else it doubles them.
func (p *patience) judge(preemptions int64, workers int, in time.Duration) {
	if preemptions*int64(window) > int64(workers)*int64(in) {
		p.rounds.Store(leastRounds)
		return
	}
	p.rounds.Store(min(2*p.rounds.Load(), mostRounds))
}
