// The tail on several devices: the kept arcs are relaxed until none changes a distance. All
// arcs to a vertex are on its own device. After each sweep the devices exchange the distances
// that have changed, if they belong to sources of kept arcs.
#pragma once
#include "peers.cuh"

struct Tail {
	PeerParts &p;
	u32 now = 0;   // bitmap of vertices that the last sweep has changed
	u64 found = 0; // improvements of all devices

	// run makes the sweeps. It must follow the pull, and a barrier of all devices.
	__device__ void run() {
		publishWanted();
		take(false);
		for (bool first = true; !p.ends(); first = false) {
			sweep(first);
			p.grid.wait(0);
			const u64 changed = publishChanged();
			take(true);
			if (changed == 0)
				return;
		}
	}

private:
	// publishWanted publishes the distances of all own vertices from which some device has
	// kept an arc, and notes these vertices in the device's range of g.wanted.
	__device__ void publishWanted() {
		const u32 lane = threadIdx.x & 31;
		for (u32 base = g.firstLabel + firstThread() - lane; base < g.endLabel; base += allThreads()) {
			u32 word = 0; // the same in all lanes: labels from base on
			for (u32 k = 0; k < m.count; k++)
				word |= loadIf(true, m.peers[k].wanted + (base >> 5), 0);
			if (lane == 0)
				g.wanted[base >> 5] = word;
			const bool on = word >> lane & 1;
			const u32 distance = loadIf(on, g.distances + base + lane, infinite);
			publish(on && distance < infinite, base + lane, distance);
		}
		p.meet(0);
	}

	// publish publishes the distance of a vertex. All lanes of the warp must call it.
	__device__ void publish(bool on, u32 v, u32 distance) {
		const u32 at = claimed(&g.counts->published[p.turn], on);
		if (on)
			g.published[at] = make_uint2(v, distance); // at most once for each row
	}

	// take takes what the other devices have published, and marks the vertices as changed. It
	// must follow a barrier of all devices, and ends with one.
	__device__ void take(bool marks) {
		if (isFirst()) {
			m.control->listLength[p.side] = 0; // all have read it
			g.counts->published[p.turn ^ 1] = 0;
		}
		for (u32 k = 0; k < m.count; k++) {
			if (k == m.own)
				continue;
			const u32 n = lengthOf(&m.peers[k].counts->published[p.turn], ~0u);
			for (u32 i = firstThread(); i < n; i += allThreads()) {
				const uint2 x = loadIf(true, m.peers[k].published + i, uint2{});
				g.distances[x.x] = x.y;
				if (marks)
					setBit(g.changed[now], x.x);
			}
		}
		p.meet(0);
		p.turn ^= 1;
	}

	// sweep relaxes the kept arcs from changed vertices, or all.
	__device__ void sweep(bool all) {
		const u32 n = lengthOf(&m.control->keptLength, g.keptCapacity), lane = threadIdx.x & 31;
		for (u32 base = firstThread() - lane; base < n; base += allThreads()) {
			const uint4 arc = loadIf(base + lane < n, g.kept + base + lane, make_uint4(none, 0, 0, 0));
			bool on = arc.x != none;
			if (!all)
				on = loadIf(on, g.changed[now] + (arc.y >> 5), 0) >> (arc.y & 31) & 1;
			const u32 source = loadIf(on, g.distances + arc.y, infinite);
			p.examined += on;
			on = on && source < infinite;
			const u32 t = add(on ? source : 0, arc.z);
			p.relax(on && t < infinite, arc.x, t, arc.y);
		}
	}

	// publishChanged sets the parents of the vertices that the sweep has changed, publishes
	// their distances and marks those that any device wants. It must follow a barrier of the
	// device, and ends with one of all. It returns the number of improvements.
	__device__ u64 publishChanged() {
		p.side ^= 1;
		const u32 n = lengthOf(&m.control->listLength[p.side], g.listCapacity), lane = threadIdx.x & 31;
		for (u32 w = firstThread(); w < (g.vertices + 31) / 32; w += allThreads())
			g.changed[now][w] = 0; // all arcs of the device have been looked at
		now ^= 1;
		for (u32 base = firstThread() - lane; base < n; base += allThreads()) {
			const uint4 x = loadIf(base + lane < n, g.lists[p.side] + base + lane, uint4{});
			const bool on = base + lane < n && loadIf(base + lane < n, g.distances + x.x, 0) == x.z;
			if (on)
				g.parents[x.x] = x.y;
			const bool wanted = on && loadIf(on, g.wanted + (x.x >> 5), 0) >> (x.x & 31) & 1;
			if (wanted)
				setBit(g.changed[now], x.x);
			publish(wanted, x.x, x.z);
		}
		const u64 changed = p.meetFound();
		found += changed;
		return changed;
	}
};
