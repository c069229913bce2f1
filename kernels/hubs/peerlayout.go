//go:build cuda

package hubs

import (
	"graph500/device"
	"graph500/engine"
	"graph500/kernels/hubs/reference"
)

// peerControl is the state of the barriers and exchanges of all devices that the blocks of one device
// share.
type peerControl struct {
	Arrivals [4]uint64 // arrivals << 54 | sum; each barrier uses the next word
	Second   [4]uint64 // second sum of the same barriers
	Round    uint32    // barriers of all searches so far
	Reserved uint32
	Offered  [2][device.MostTogether]uint32 // rows that were offered to each device; exchanges take turns
}

// offered is an entry of the lists of offers.
type offered struct {
	Row    uint32
	Parent engine.Label // label
}

// peer is what all devices of a search know of one of them. Arrays by row and label begin as in
// state.
type peer struct {
	Totals  device.Array[uint64]      // sums of the last four barriers, by device (PeerBarrier)
	Control device.Array[peerControl] `c:"PeerControl"`

	Vertices   device.Array[reference.Vertex] `c:"const u32"`
	RowLabels  device.Array[engine.Label]     `c:"const u32"`
	Before     device.Array[uint32]
	Visited    device.Array[uint32]
	Late       [2]device.Array[uint32]
	LeftHubs   device.Array[uint32]
	FoundHubs  device.Array[uint32] // bitmap of hubs that the device has found by its rows in the dense level
	Frontiers  device.Array[uint32]
	HubParents device.Array[engine.Label]
	Offers     device.Array[offered]   `c:"const uint2"` // for each row of other devices: lists for their owners
	LateRows   device.Array[lateEntry] `c:"uint4"`       // for the late levels, as the device knows them
	rowArrays
	WideParents device.Array[int64] `c:"u64"`
	Parents     device.Array[engine.Label]

	FirstRow uint32
	rowClasses
	Labels   uint32 // end of the labels
	Reserved uint32
}

// peers is the kernel's description of the devices of a search, in constant memory.
type peers struct {
	Count       uint32
	Own         uint32 // number of this device
	OwnHubs     uint32 // hubs with labels of this device
	LeastOffers uint32 // least number of offers for which there is room for another device
	HubPieces   uint32 // pieces of the lists of all hubs by piece of their lists of hubs, in 256ths
	Reserved    uint32

	Control    device.Array[peerControl] `c:"PeerControl"`
	Offers     device.Array[offered]     `c:"uint2"`
	OwnHubList device.Array[uint32]      `c:"const u32"`
	Frontiers  device.Array[uint32]      // bitmaps of hubs: frontiers of all devices
	LeftHubs   device.Array[uint32]      // bitmap of the hubs of all devices that the dense level has not found
	FoundHubs  device.Array[uint32]      // as the other devices know it
	LateRows   device.Array[lateEntry]   `c:"uint4"` // for the late levels: mostAlone of each device, by device
	Peers      [device.MostTogether]peer
}
