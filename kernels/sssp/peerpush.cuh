// Rounds of pushes on several devices.
#pragma once
#include "peers.cuh"

// Push is one round: the arcs that end at from or above, and below to, are relaxed from
// vertices with distances from lo to hi - 1. All are bits.
struct Push {
	PeerParts &p;
	u32 lo, hi, from, to;

	// run makes the round. The items are the improvements of the last round, whose parents it
	// sets, or all reached vertices. It returns the number of improvements on all devices.
	__device__ u64 run(bool fromLog) {
		const u32 n = fromLog ? lengthOf(&g.counts->logged, g.rowCount) : lengthOf(&m.control->listLength[p.side], g.listCapacity);
		const u32 lane = threadIdx.x & 31;
		if (fromLog) // the log must not grow before all have read its length
			p.grid.wait(0);
		for (u32 base = firstThread() - lane; base < n; base += allThreads()) {
			u32 v, distance;
			const bool on = item(fromLog, base + lane, n, v, distance) && distance >= lo && distance < hi;
			pushRows(on, v, distance);
		}
		if (p.grid.wait(0), lengthOf(&m.control->pieceCount, g.pieceCapacity) > 0)
			pushPieces();
		return exchange();
	}

private:
	// item loads item i of n. It returns whether the lane has one.
	__device__ bool item(bool fromLog, u32 i, u32 n, u32 &v, u32 &distance) const {
		if (fromLog) {
			v = loadIf(i < n, g.log + i, 0);
			distance = loadIf(i < n, g.distances + v, infinite);
			return i < n;
		}
		const uint4 x = loadIf(i < n, g.lists[p.side] + i, uint4{});
		v = x.x, distance = x.z;
		// Another entry has the smaller distance, if there is one.
		const bool on = loadIf(i < n, g.distances + v, 0) == distance && i < n;
		if (on)
			g.parents[v] = x.y;
		return on;
	}

	// pushRows pushes the row of each lane that is on. rowLanes lanes look at the first arcs
	// of a row; longer ones are left to all warps.
	__device__ void pushRows(bool on, u32 v, u32 distance) {
		const Range row = rangeOfLabel(on, v);
		const u32 group = (threadIdx.x & 31) / rowLanes;
		u32 open = __ballot_sync(~0u, on), rest = 0;
		while (open) {
			u32 source = 32; // of the group
#pragma unroll
			for (u32 k = 0; k < 32 / rowLanes; k++) {
				if (k == group && open)
					source = __ffs(open) - 1;
				open &= open - 1;
			}
			const bool has = source < 32;
			const u64 start = __shfl_sync(~0u, row.start, source & 31);
			const u32 degree = __shfl_sync(~0u, row.degree, source & 31);
			const u32 u = __shfl_sync(~0u, v, source & 31), d = __shfl_sync(~0u, distance, source & 31);
			const bool more = pushFirst(start, has ? degree : 0, u, d);
			for (u32 k = 0; k < 32 / rowLanes; k++) {
				const u32 which = __shfl_sync(~0u, source, k * rowLanes);
				rest |= u32(__shfl_sync(~0u, more, k * rowLanes)) << (which & 31);
			}
		}
		for (; rest; rest &= rest - 1) {
			const u32 j = __ffs(rest) - 1;
			divide(__shfl_sync(~0u, row.start, j), __shfl_sync(~0u, row.degree, j), __shfl_sync(~0u, v, j), __shfl_sync(~0u, distance, j));
		}
	}

	// pushFirst pushes the first arcs of the row of the lane's group. It returns whether others
	// are left, the same for all lanes of the group.
	__device__ bool pushFirst(u64 start, u32 degree, u32 u, u32 d) {
		const u32 lane = threadIdx.x & 31, i = lane % rowLanes, shift = lane - i;
		bool more = degree > 0;
		for (u32 base = 0; base < firstArcs && __any_sync(~0u, more); base += rowLanes) {
			const bool there = more && base + i < degree;
			const bool within = relaxArc(there, start, base + i, u, d);
			const u32 group = __ballot_sync(~0u, within) >> shift & ((1u << rowLanes) - 1);
			more = more && group == (1u << rowLanes) - 1 && base + rowLanes < degree;
		}
		return more;
	}

	// relaxArc relaxes arc i of a row, for a lane that is there. It returns whether the arc ends
	// below to. All lanes of the warp must call it.
	__device__ bool relaxArc(bool there, u64 start, u32 i, u32 u, u32 d) {
		const uint2 arc = arcAt(there, start, i);
		const u32 t = add(d, arc.y);
		const bool within = there && t < to;
		if (there && !within)
			p.leavesArcs = true;
		p.examined += within;
		p.relax(within && t >= from, arc.x, t, u);
		return within;
	}

	// divide divides the arcs of a row behind the first ones into pieces, for all warps. All
	// lanes of the warp have the same row.
	__device__ void divide(u64 start, u32 degree, u32 u, u32 d) {
		const u32 end = to == infinite ? degree : search(start, d, to, firstArcs, degree);
		const u32 begin = from == 0 ? firstArcs : search(start, d, from, firstArcs, end);
		if (end < degree)
			p.leavesArcs = true;
		const u32 lane = threadIdx.x & 31, count = (end - begin + pieceArcs - 1) / pieceArcs;
		for (u32 base = 0; base < count; base += 32) {
			const bool on = base + lane < count;
			const u32 at = claimed(&m.control->pieceCount, on), first = begin + (base + lane) * pieceArcs;
			const uint4 piece = make_uint4(u, d, first, min(end, first + pieceArcs));
			if (on && at < g.pieceCapacity)
				g.pieces[at] = piece;
			for (u32 left = __ballot_sync(~0u, on && at >= g.pieceCapacity); left; left &= left - 1) {
				const u32 j = __ffs(left) - 1; // no room: at once
				pushPiece(start, make_uint4(u, d, __shfl_sync(~0u, piece.z, j), __shfl_sync(~0u, piece.w, j)));
			}
		}
	}

	// search returns the first of the arcs lo to hi - 1 of a row that ends at limit or above,
	// hi if there is none. All lanes of the warp have the same arguments.
	__device__ u32 search(u64 start, u32 d, u32 limit, u32 lo, u32 hi) const {
		const u32 lane = threadIdx.x & 31;
		while (lo < hi) {
			const u32 step = (hi - lo + 31) / 32, i = lo + lane * step;
			const uint2 arc = arcAt(i < hi, start, i);
			const u32 beyond = __ballot_sync(~0u, i >= hi || add(d, arc.y) >= limit);
			const u32 k = beyond ? __ffs(beyond) - 1 : 32; // first lane at the limit or above
			if (k == 0)
				return lo;
			hi = min(hi, lo + k * step);
			lo += (k - 1) * step + 1;
		}
		return lo;
	}

	__device__ void pushPieces() {
		const u32 n = lengthOf(&m.control->pieceCount, g.pieceCapacity), warps = allThreads() / 32;
		for (u32 i = firstThread() / 32; i < n; i += warps) {
			const uint4 piece = loadIf(true, g.pieces + i, uint4{});
			pushPiece(rangeOfLabel(true, piece.x).start, piece);
		}
	}

	// pushPiece pushes a piece, the same for all lanes of the warp.
	__device__ void pushPiece(u64 start, uint4 piece) {
		for (u32 base = piece.z; base < piece.w; base += 32) {
			const u32 i = base + (threadIdx.x & 31);
			relaxArc(i < piece.w, start, i, piece.x, piece.y);
		}
	}

	// exchange lets all devices take the improvements of their vertices from the others. It
	// returns the number of improvements of the round.
	__device__ u64 exchange() {
		u64 found = p.meetFound();
		if (isFirst()) { // all have read what is reset here, and none writes it before the next barrier
			m.control->listLength[p.side] = m.control->pieceCount = 0;
			for (u32 k = 0; k < m.count; k++)
				g.counts->outgoing[p.turn ^ 1][k] = 0;
		}
		const u32 lane = threadIdx.x & 31;
		for (u32 k = 0; k < m.count; k++) {
			if (k == m.own)
				continue;
			const Peer &other = m.peers[k];
			const u32 n = lengthOf(&other.counts->outgoing[p.turn][m.own], other.capacity);
			const uint4 *list = other.outgoing + u64(m.own) * other.capacity;
			for (u32 base = firstThread() - lane; base < n; base += allThreads()) {
				const uint4 x = loadIf(base + lane < n, list + base + lane, uint4{});
				p.relax(base + lane < n, x.x, x.z, x.y);
			}
		}
		found += p.meetFound();
		p.side ^= 1;
		p.turn ^= 1;
		return found;
	}
};
