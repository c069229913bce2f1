// C++ form of kernels/ptx.cuh for the emulated GPU.
#pragma once
#include "language.h"
#include "types.cuh"


inline u64 now() { return emulation::now(); }

inline void fence() {}

inline void fenceSystem() { emulation::fence(); }

inline u64 loadAcquireSystem(const u64 *from) {
	const u64 value = *(const volatile u64 *)from;
	emulation::fence();
	return value;
}

inline u32 loadFresh(const u16 *from) { return __ldcg(from); }
template <typename T> T loadIf(bool predicate, const T *from, std::type_identity_t<T> otherwise) { return predicate ? __ldcg(from) : otherwise; }

template <typename T> T cachedIf(bool predicate, const T *from, std::type_identity_t<T> otherwise) { return predicate ? __ldca(from) : otherwise; }

template <typename T> T streamIf(bool predicate, const T *from, std::type_identity_t<T> otherwise) { return predicate ? __ldg(from) : otherwise; }

template <typename T> T onceIf(bool predicate, const T *from, std::type_identity_t<T> otherwise) { return predicate ? __ldg(from) : otherwise; }

inline void storeOnce(u32 *to, u32 value) { *to = value; }

// The load checks the address: a prefetch beyond an array is harmless on a real GPU,
// but still a bug.
inline void prefetchIf(bool predicate, const void *at) {
	if (predicate)
		(void)__ldg(static_cast<const u32 *>(at));
}

inline void prefetchNearIf(bool predicate, const void *at) { prefetchIf(predicate, at); }

inline u32 addIf(bool predicate, u32 *to, u32 addend, u32 otherwise) { return predicate ? atomicAdd(to, addend) : otherwise; }

inline u32 orIf(bool predicate, u32 *to, u32 bits, u32 otherwise) { return predicate ? atomicOr(to, bits) : otherwise; }

inline u32 minIf(bool predicate, u32 *to, u32 value, u32 otherwise) { return predicate ? atomicMin(to, value) : otherwise; }

inline u64 minIf(bool predicate, u64 *to, u64 value, u64 otherwise) { return predicate ? atomicMin(to, value) : otherwise; }

inline void minIf(bool predicate, u64 *to, u64 value) {
	if (predicate)
		atomicMin(to, value);
}
