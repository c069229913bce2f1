// Distances and weights as their bits: for numbers of 0 or more, the order of the bits as
// unsigned numbers is that of the numbers.
#pragma once
#include "types.cuh"

constexpr u32 infinite = 0x7f800000;  // of +Inf: above those of every distance
constexpr u32 unreached = 0xbf800000; // of engine.Unreached, -1: above infinite as an unsigned number
