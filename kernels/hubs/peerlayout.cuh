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
	uint4 *lateRows; // for the late levels, as the device knows them
	const u32 *heads;
	const uint2 *seconds;
	const u32 *furtherAt;
	Pieces further;
	const u16 *singleHub;
	const u32 *rowListAt;
	const uint4 *rowLists;
	u64 *wideParents;
	u32 *parents;
	u32 firstRow;
	u32 hubRows;
	u32 singleEnd;
	u32 rows;
	u32 labels; // end of the labels
	u32 reserved;
};

// Peers is the kernel's description of the devices of a search, in constant memory.
struct Peers {
	u32 count;
	u32 own; // number of this device
	u32 ownHubs; // hubs with labels of this device
	u32 leastOffers; // least number of offers for which there is room for another device
	u32 hubPieces; // pieces of the lists of all hubs by piece of their lists of hubs, in 256ths
	u32 reserved;
	PeerControl *control;
	uint2 *offers;
	const u32 *ownHubList;
	u32 *frontiers; // bitmaps of hubs: frontiers of all devices
	u32 *leftHubs; // bitmap of the hubs of all devices that the dense level has not found
	u32 *foundHubs; // as the other devices know it
	uint4 *lateRows; // for the late levels: mostAlone of each device, by device
	Peer peers[16];
};
