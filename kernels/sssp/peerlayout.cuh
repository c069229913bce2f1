// Code generated from peerlayout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 maxPeers = 16; // devices that search a graph together

// PeerControl is the state of the barriers of all devices that the blocks of one device share.
struct PeerControl {
	u64 arrivals[4]; // arrivals << 54 | sum; each barrier uses the next word
	u64 second[4]; // second sum of the same barriers
	u32 round; // barriers of all searches so far
	u32 reserved;
};

// Peer is what all devices of a search know of one of them. It has the rows of the labels
// from the end of the device before to EndLabel.
struct Peer {
	u64 *totals; // sums of the last four barriers, by device (PeerBarrier)
	const uint2 *arcs; // of the device
	const uint2 *index; // the first word is that of the device's first label
	const uint2 *thirds;
	// The arrays of the device's search.
	Control *control;
	u64 *best; // by row of all devices
	uint2 *queues[2]; // see peerowners.cuh
	u32 *hubBest;
	const u32 *targets;
	const u32 *lastMarks; // State.marks[2]
	u32 *open; // bitmap of all hubs
	u32 endLabel;
	u32 reserved;
};

// PeerTails is the kernel's description of split rows on several devices, in constant memory. The
// pushes also read tails of the others.
struct PeerTails {
	const uint2 *tails[16];
	u32 prefix; // construct.Graph.Prefix, of all devices
};

// Peers is the kernel's description of the devices of a search, in constant memory.
struct Peers {
	u32 count;
	u32 own; // number of this device
	u32 numbers; // rows of all devices, used or not
	PeerControl *control;
	Peer peers[16];
};
