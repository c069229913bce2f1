// Code generated from peerlayout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 maxPeers = 16; // devices that search a graph together

// PeerControl is the state of the barriers and exchanges of all devices that the blocks of one device
// share.
struct PeerControl {
	u64 arrivals[4]; // arrivals << 54 | sum; each barrier uses the next word
	u64 second[4]; // second sum of the same barriers
	u32 round; // barriers of all searches so far
	u32 reserved;
	u32 offered[2][16]; // rows that were offered to each device; exchanges take turns
};

// Peer is what all devices of a search know of one of them. Arrays by row and label begin as in
// state.
struct Peer {
	u64 *totals; // sums of the last four barriers, by device (PeerBarrier)
	PeerControl *control;
	const u32 *vertices;
	const u32 *rowLabels;
	u32 *before;
	u32 *visited;
	u32 *late[2];
	u32 *leftHubs;
	u32 *foundHubs; // bitmap of hubs that the device has found by its rows in the dense level
	u32 *frontiers;
	u32 *hubParents;
	const uint2 *offers; // for each row of other devices: lists for their owners
	u64 *wideParents;
	u32 *parents;
	u32 firstRow;
	u32 singleEnd; // end of the rows with hubs
	u32 rows; // end of the rows
	u32 labels; // end of the labels
};

// Peers is the kernel's description of the devices of a search, in constant memory.
struct Peers {
	u32 count;
	u32 own; // number of this device
	u32 ownHubs; // hubs with labels of this device
	u32 leastOffers; // least number of offers for which there is room for another device
	PeerControl *control;
	uint2 *offers;
	const u32 *ownHubList;
	u32 *frontier; // bitmap of the hubs in the frontier
	u32 *leftHubs; // bitmap of the hubs of all devices that the dense level has not found
	u32 *foundHubs; // as the other devices know it
	Peer peers[16];
};
