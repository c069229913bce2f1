//go:build cuda

package sssp

import (
	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

// peerControl is the state of the barriers of all devices that the blocks of one device share.
type peerControl struct {
	Arrivals [4]uint64 // arrivals << 54 | sum; each barrier uses the next word
	Second   [4]uint64 // second sum of the same barriers
	Round    uint32    // barriers of all searches so far
	Reserved uint32
}

// peer is what all devices of a search know of one of them. It has the rows of the labels
// from the end of the device before to EndLabel.
type peer struct {
	Totals device.Array[uint64] // sums of the last four barriers, by device (PeerBarrier)

	Arcs   device.Array[construct.Arc]   `c:"const uint2"` // of the device
	Index  device.Array[uint64]          `c:"const uint2"` // the first word is that of the device's first label
	Thirds device.Array[construct.Third] `c:"const uint2"`

	// The arrays of the device's search.
	Control   device.Array[control] `c:"Control"`
	Best      device.Array[uint64]  // by row of all devices
	Queues    [2]device.Array[item] `c:"uint2"` // see peerowners.cuh
	HubBest   device.Array[uint32]
	Targets   device.Array[uint32] `c:"const u32"`
	LastMarks device.Array[uint32] `c:"const u32"` // State.marks[2]
	Open      device.Array[uint32] // bitmap of all hubs
	EndLabel  engine.Label
	Reserved  uint32
}

// peerTails is the kernel's description of split rows on several devices, in constant memory. The
// pushes also read tails of the others.
type peerTails struct {
	Tails  [device.MostTogether]device.Array[construct.Arc] `c:"const uint2"`
	Prefix uint32                                           // construct.Graph.Prefix, of all devices
}

// peers is the kernel's description of the devices of a search, in constant memory.
type peers struct {
	Count   uint32
	Own     uint32 // number of this device
	Numbers uint32 // rows of all devices, used or not
	Control device.Array[peerControl]
	Peers   [device.MostTogether]peer
}
