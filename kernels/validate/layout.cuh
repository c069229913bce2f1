// Code generated from layout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 settleRounds = 8; // settle rounds that the host launches at once

// Facts are the results of the kernels for one tree. Entry to Outside are the smallest
// vertex or tuple that breaks a rule, or noPlace.
struct Facts {
	u64 entry; // vertex that breaks rule Entry
	u64 path; // vertex that breaks rule Path
	u64 edge; // vertex that breaks rule Edge
	u64 level; // tuple that breaks rule Level
	u64 outside; // tuple with a label out of range
	u64 visited; // vertices of the tree
	u64 edges; // tuples in the tree's component, without self loops
	u64 loops; // self loops in the tree's component
	u32 levelEnds[2]; // endpoints of tuple Level
	u32 outsideEnds[2]; // endpoints of tuple Outside
	u32 rootParent;
	u32 deepest; // largest depth+1
	u32 tooDeep; // 1 if a depth does not fit in a byte
	u32 left; // jumps that may be incomplete
	u32 settled[8]; // vertices settled by each round
};
