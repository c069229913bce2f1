// Short names of integer types. u64 is the type that CUDA's atomics accept.
#pragma once
#include <cstdint>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int32_t i32;
typedef unsigned long long u64;
