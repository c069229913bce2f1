// Depths from parents, and the rules that need no tuples: Root, Entry and Path.
#include "validate.cuh"

using namespace validate;

// validate_start initialises the table of bytes: 1 for the root, unsettled for the other
// vertices with a parent, and 0 for the rest and the padding of the last word.
extern "C" __global__ void validate_start(const u32 *parents, u32 vertices, u32 root, u32 *table, Facts *facts) {
	u32 words = (u64(vertices) + 3) / 4;
	u32 visited = 0;
	u64 entry = never;
	for (u64 i = firstThread(); i < words; i += allThreads()) {
		u32 p[4];
		if (4 * i + 4 <= vertices) {
			uint4 four = __ldcs((const uint4 *)parents + i);
			p[0] = four.x, p[1] = four.y, p[2] = four.z, p[3] = four.w;
		} else {
			for (int k = 0; k < 4; k++) p[k] = 4 * i + k < vertices ? parents[4 * i + k] : none;
		}
		u32 word = 0;
		for (int k = 0; k < 4; k++) {
			u32 v = 4 * i + k;
			if (v == root) facts->rootParent = p[k];
			if (p[k] == none) continue;
			visited++;
			if (v == root) {
				word |= 1u << 8 * k;
				continue;
			}
			if (p[k] >= vertices || p[k] == v) {
				entry = min(entry, u64(v));
				continue;
			}
			word |= unsettled << 8 * k;
		}
		table[i] = word;
	}
	if (entry != never) atomicMin(&facts->entry, entry);
	addUp(visited, &facts->visited);
}

// validate_settle computes the depth of each vertex whose parent has a depth. A thread
// may or may not see depths of the same round. A round that settles nothing is final.
extern "C" __global__ void validate_settle(const u32 *parents, u32 vertices, u32 *table, Facts *facts, u32 round) {
	if (round > 0 && facts->settled[round - 1] == 0) return;
	const u8 *bytes = (const u8 *)table;
	u32 words = (u64(vertices) + 3) / 4;
	u32 settled = 0, deepest = 0;
	bool tooDeep = false;
	for (u64 i = firstThread(); i < words; i += allThreads()) {
		u32 word = table[i];
		u32 open = __vcmpeq4(word, ~0u);
		if (!open) continue;
		u32 p[4], d[4];
#pragma unroll
		for (int k = 0; k < 4; k++) p[k] = open >> 8 * k & 1 ? parents[4 * i + k] : none;
#pragma unroll
		for (int k = 0; k < 4; k++) d[k] = p[k] < vertices ? bytes[p[k]] : 0;
		u32 found = 0;
#pragma unroll
		for (int k = 0; k < 4; k++) {
			if (d[k] == deepestByte) tooDeep = true;
			if (d[k] == 0 || d[k] >= deepestByte) continue;
			word += (d[k] + 1 - unsettled) << 8 * k;
			deepest = max(deepest, d[k] + 1);
			found++;
		}
		if (found) table[i] = word;
		settled += found;
	}
	if (tooDeep) facts->tooDeep = 1;
	deepest = __reduce_max_sync(~0u, deepest);
	settled = __reduce_add_sync(~0u, settled);
	if (threadIdx.x % 32 == 0 && settled) {
		if (deepest > *(volatile u32 *)&facts->deepest) atomicMax(&facts->deepest, deepest);
		atomicAdd(&facts->settled[round], settled);
	}
}

// validate_unsettled finds the smallest vertex of the tree without a depth.
extern "C" __global__ void validate_unsettled(const u32 *table, u32 vertices, Facts *facts) {
	u32 words = (u64(vertices) + 3) / 4;
	u64 path = never;
	for (u64 i = firstThread(); i < words; i += allThreads()) {
		u32 open = __vcmpeq4(table[i], ~0u);
		if (open) path = min(path, 4 * i + (__ffs(open) - 1) / 8);
	}
	if (path != never) atomicMin(&facts->path, path);
}

// validate_hash adds the low bits of the parents to the depths, for HashedBytes. The
// depths must fit in its depth bits.
extern "C" __global__ void validate_hash(const u32 *parents, u32 vertices, u32 *table) {
	u32 words = (u64(vertices) + 3) / 4;
	for (u64 i = firstThread(); i < words; i += allThreads()) {
		u32 word = table[i];
		if (!word) continue;
#pragma unroll
		for (int k = 0; k < 4; k++)
			if (word >> 8 * k & 0xff) word |= u32(HashedBytes::hash(parents[4 * i + k])) << 8 * k;
		table[i] = word;
	}
}

// Pointer jumping for trees of any depth. jumps has for each vertex an ancestor in the
// high half and the distance to it in the low half. The root is its own ancestor. The
// ancestor none marks a path that does not end at the root.

// validate_jump_start sets the jumps to the parents.
extern "C" __global__ void validate_jump_start(const u32 *parents, u32 vertices, u32 root, u64 *jumps) {
	for (u64 v = firstThread(); v < vertices; v += allThreads())
		jumps[v] = u64(parents[v]) << 32 | (v != root);
}

// validate_jump at least doubles the length of every jump, or completes it. An entry is
// read and written as one word, so it does not matter whether a thread sees entries of
// this round or of the round before. facts->left counts the jumps that may be
// incomplete.
extern "C" __global__ void validate_jump(u32 vertices, u32 root, u64 *jumps, Facts *facts) {
	u32 left = 0;
	for (u64 v = firstThread(); v < vertices; v += allThreads()) {
		u64 own = jumps[v];
		u32 ancestor = own >> 32;
		if (ancestor == root || ancestor == none) continue;
		u64 next = jumps[ancestor];
		u32 further = next >> 32;
		jumps[v] = u64(further) << 32 | u32(u32(own) + u32(next));
		left += further != root && further != none;
	}
	left = __reduce_add_sync(~0u, left);
	if (threadIdx.x % 32 == 0 && left) atomicAdd(&facts->left, left);
}

// validate_deep_table converts the jumps to a Deep table. It finds the largest depth and the
// smallest vertex whose jump does not end at the root.
extern "C" __global__ void validate_deep_table(const u32 *parents, u32 vertices, u32 root, u64 *jumps, Facts *facts) {
	u32 deepest = 0;
	u64 path = never;
	for (u64 v = firstThread(); v < vertices; v += allThreads()) {
		u32 p = parents[v];
		u64 own = jumps[v], entry = 0;
		if (p != none) {
			if (u32(own >> 32) == root) {
				u32 d = u32(own) + 1;
				deepest = max(deepest, d);
				entry = u64(p) << 32 | d;
			} else {
				path = min(path, v);
			}
		}
		jumps[v] = entry;
	}
	if (path != never) atomicMin(&facts->path, path);
	deepest = __reduce_max_sync(~0u, deepest);
	if (threadIdx.x % 32 == 0 && deepest > *(volatile u32 *)&facts->deepest) atomicMax(&facts->deepest, deepest);
}
