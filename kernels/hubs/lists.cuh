// The lists of hubs and rows.
#pragma once
#include "owners.cuh"
#include "pieces.cuh"

// labelOf returns the label of a hub or a row.
__device__ inline u32 labelOf(u32 vertex) { return vertex & hubFlag ? __ldg(g.hubLabels + (vertex & ~hubFlag)) : labelOfRow(vertex); }

// Lists is the lists of a hub or a row that the device follows: hubs first, then rows. A row begins with a piece of the
// hubs that are not in its list of further hubs.
struct Lists {
	u32 hubAt, hubPieces, rowAt, rowPieces;
};

// listsOf returns them for a level of all devices (Level.ofAll), or of a hub, and of an own row, for another level.
__device__ inline Lists listsOf(u32 vertex, bool ofAll) {
	if (vertex & hubFlag) {
		const u32 h = vertex & ~hubFlag, hubAt = __ldg(g.hubListAt + h), rowAt = __ldg(g.hubRowAt + h);
		Lists l{hubAt, __ldg(g.hubListAt + h + 1) - hubAt, rowAt, __ldg(g.hubRowAt + h + 1) - rowAt};
		if (!ofAll)
			ownPart(l.hubAt, l.hubPieces);
		return l;
	}
	return withRowsOf(vertex, [=](const auto &of) {
		const RowList rows = rowListOf(of, vertex);
		Lists l{0, vertex < of.singleEnd, rows.at, rows.end - rows.at};
		if (vertex < of.hubRows) {
			l.hubAt = __ldg(of.furtherAt + vertex) - 1; // piece 0 is not in the list
			l.hubPieces = __ldg(of.furtherAt + vertex + 1) - l.hubAt;
		}
		return l;
	});
}

// areOnDevice returns whether no piece of the lists of a vertex is in host memory.
__device__ inline bool areOnDevice(u32 vertex, const Lists &l) {
	if (!split)
		return true;
	const u32 lastHubs = l.hubAt + l.hubPieces - 1; // of a row, piece 0 is in no list
	if (vertex & hubFlag)
		return !(l.hubPieces && isOnHost(g.hubLists, lastHubs)) && !(l.rowPieces && isOnHost(g.hubRowList, l.rowAt + l.rowPieces - 1));
	return !(l.hubPieces > 1 && isOnHost(g.further, lastHubs)) && l.rowPieces <= g.rowPrefix;
}

// hubPiece returns piece i of the hubs of a vertex.
__device__ inline uint4 hubPiece(u32 vertex, u32 hubAt, u32 i) {
	if (vertex & hubFlag)
		return pieceAt(g.hubLists, hubAt + i);
	return withRowsOf(vertex, [=](const auto &of) {
		if (i)
			return pieceAt(of.further, hubAt + i);
		uint4 x = noHubs();
		if (vertex < of.hubRows) {
			const uint2 seconds = __ldg(of.seconds + vertex);
			x = make_uint4(__ldg(of.heads + vertex) | 0xFFFF0000, seconds.x, seconds.y, none);
		} else
			x.x = __ldg(of.singleHub + (vertex - of.hubRows)) | 0xFFFF0000;
		return x;
	});
}

// rowPiece returns piece i of the rows of a vertex, which has the number `at` of its kind.
__device__ inline uint4 rowPiece(u32 vertex, u32 i, u32 at) {
	const bool ofHub = vertex & hubFlag, onHost = ofHub ? isOnHost(g.hubRowList, at) : isInTail(i);
	const uint4 *from = (ofHub ? g.hubRowList.onDevice : withRowsOf(vertex, [](const auto &of) { return of.rowLists; })) + (ofHub ? at : pieceNumber(vertex, i, at));
	if (onHost)
		from = ofHub ? g.hubRowList.onHost + at : addressInTail(vertex, i);
	countHostRead(onHost, from);
	return __ldg(from);
}
