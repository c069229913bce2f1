// Code generated from layout.go by its test with -update; DO NOT EDIT.
#pragma once
#include "../types.cuh"

constexpr u32 settleRounds = 8; // settle rounds that the host launches at once

// Facts are the results of the kernels for one tree. Entry to Weight are the smallest
// vertex or tuple that breaks a rule, or noPlace. Weights and distances are given by
// their bits.
struct Facts {
	u64 entry; // vertex that breaks rule Entry
	u64 path; // vertex that breaks rule Path
	u64 distance; // vertex that breaks rule Distance
	u64 apart; // vertex that breaks rule Edge or Tight
	u64 tuple; // tuple that breaks rule Level or Relaxed
	u64 outside; // tuple with a label out of range
	u64 weight; // tuple with an invalid weight
	u64 visited; // vertices of the tree
	u64 edges; // tuples in the tree's component, without self loops
	u64 loops; // self loops in the tree's component
	u32 tupleEnds[2]; // endpoints of tuple Tuple
	u32 outsideEnds[2]; // endpoints of tuple Outside
	u32 tupleWeight; // weight of tuple Tuple
	u32 invalidWeight; // weight of tuple Weight
	u32 leastWeight; // least weight of the tuples that join vertex Apart to its parent, or that of engine.Unreached
	u32 rootParent;
	u32 deepest; // largest depth+1
	u32 farthest; // largest distance
	u32 tooDeep; // 1 if a depth does not fit in a byte
	u32 left; // jumps that may be incomplete
	u32 settled[8]; // vertices settled by each round
};
