// kernels/ptx.cuh in C++: in its place for the emulated GPU.
#pragma once
#include "language.h"
#include "types.cuh"


inline u64 now() { return emulation::now(); }

inline void fence() {}

template <typename T> T loadIf(bool on, const T *from, std::type_identity_t<T> otherwise) { return on ? __ldcg(from) : otherwise; }

inline u32 cachedIf(bool on, const u32 *from, u32 otherwise) { return on ? __ldca(from) : otherwise; }

template <typename T> T streamIf(bool on, const T *from, std::type_identity_t<T> otherwise) { return on ? __ldg(from) : otherwise; }

// A prefetch beyond an array would do no harm, and is a mistake all the same.
inline void prefetchIf(bool on, const void *at) {
	if (on)
		(void)__ldg(static_cast<const u32 *>(at));
}

inline void prefetchNearIf(bool on, const void *at) { prefetchIf(on, at); }

inline u32 addIf(bool on, u32 *to, u32 addend, u32 otherwise) { return on ? atomicAdd(to, addend) : otherwise; }

inline u32 orIf(bool on, u32 *to, u32 bits, u32 otherwise) { return on ? atomicOr(to, bits) : otherwise; }
