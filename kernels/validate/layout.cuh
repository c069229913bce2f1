// Code generated from layout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 settleRounds = 8; // rounds of settling that the host starts at once

// Facts are what the kernels find out about a tree. The places are the smallest,
// or noPlace.
struct Facts {
	u64 entry; // vertex that breaks rule Entry
	u64 path; // vertex that breaks rule Path
	u64 edge; // vertex that breaks rule Edge
	u64 level; // tuple that breaks rule Level
	u64 outside; // tuple that names no vertex
	u64 visited;
	u64 edges;
	u64 loops;
	u32 levelEnds[2]; // ends of tuple level
	u32 outsideEnds[2]; // ends of tuple outside
	u32 rootParent;
	u32 deepest; // largest depth+1
	u32 tooDeep; // 1 if a depth does not fit a byte
	u32 left; // jumps that may not be whole yet
	u32 settled[8]; // vertices that each round settled
};
