package cpu

import (
	"graph500/engine"
	"graph500/worklist"
)

// worklistCounts converts the counts of a run for a profile.
func worklistCounts(c worklist.Counts) *engine.Worklist {
	return &engine.Worklist{
		Items: c.Processed, Useful: c.Useful,
		StealsInGroup: c.Steals[worklist.SameGroup], StealsInSocket: c.Steals[worklist.SameSocket], StealsBeyond: c.Steals[worklist.OtherSocket],
	}
}
