//go:build cuda

package sssp

import "math"

const (
	// leastHubRows is the number of rows from which on hubs pay.
	leastHubRows = 1 << 20
	// leastShortRows is the number of rows from which on pushes are shorter.
	leastShortRows = 1 << 24
	// mostTwoRows is the number of rows up to which the second-level cache has most distances of hubs.
	mostTwoRows = 1 << 25
	// leastPushed is the first hub with a row that is short enough for pushHubs.
	leastPushed = 1 << 14
)

// policy is how a search divides its work between its steps.
type policy struct {
	step      float32 // first step of the bound, as a share of firstStep
	laterStep float32 // later ones on several devices, as a share of the first
	pullShare float64 // of the rows, which must be reached before the pull
	hubShare  float64 // of the rows, which are pulled first
	// If late sweeps change few hubs, none of them with a smaller number, these are pushed from (pushHubs). At scale 24 a sweep over
	// all kept arcs takes 4 µs, less than that.
	leastPushed uint32
	// The pull looks up two distances of a row at once where the second is probably needed. Without hubs that would be everywhere.
	looksTwo bool
}

// policyOf returns the policy for a graph with that many rows on that many devices. isNear says that each
// device reads all rows from memory of this process's devices.
//
// On one device, a thread keeps its segments of light arcs in registers at scale 26 with a step of 0.6,
// which is 2 % faster there; at scale 28 all steps from 0.5 on are equally fast. With pullShare 0.01, two
// or three of 64 searches pushed again at scales 26 and 28, half as long as a search, and on four devices at scale 28 15 (with
// 0.005: 5); with 0.0025, none was faster. 7/32 instead of 3/16 of the rows as hubs are 1 to 2 % faster at scales 22 and 28;
// on two devices a quarter was slower at scale 26, on four 7/32 at 28. Each device makes all pushes, and the rest is divided, so in large
// graphs they push less. Some searches then push again. That takes random access to the rows of other devices, 10 ms at scale
// 28 if those are of other processes.
func policyOf(rows uint64, devices int, isNear bool) policy {
	isLarge := rows >= leastShortRows
	p := policy{step: 1, laterStep: 1, pullShare: 0.005, hubShare: 3. / 16, leastPushed: math.MaxUint32, looksTwo: rows >= leastHubRows && rows <= mostTwoRows}
	if devices == 1 {
		p.hubShare = 7. / 32
	}
	switch {
	case isLarge && devices == 1:
		p.step = 0.6
		if isNear {
			p.leastPushed = leastPushed
		}
	case isLarge && isNear:
		p.step, p.laterStep = 0.75, 0.4
	}
	return p
}

// hubs returns the number of hubs among n rows. Each device has as many.
func (p policy) hubs(rows uint64, devices int) uint64 {
	return inEqualParts(uint64(p.hubShare*float64(rows)), devices)
}

// inEqualParts rounds a number of hubs down to a multiple of 32 for each device.
func inEqualParts(hubs uint64, devices int) uint64 {
	each := uint64(32 * devices)
	return hubs / each * each
}
