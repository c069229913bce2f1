// The table of kernels that a module, the compiled form of one .cu file, exports.
#pragma once
#include <cstddef>
#include <tuple>
#include <utility>

namespace emulation {

// Kernel is a __global__ function. The arguments of call point to the parameters, as
// in cuLaunchKernel.
struct Kernel {
	const char *name;
	void (*call)(void **arguments);
	size_t parameters;
	const size_t *bytes; // size of each parameter, at most 8
};

template <typename F> struct Signature;
template <typename... P> struct Signature<void (*)(P...)> {
	static_assert(((sizeof(P) <= 8) && ...), "a parameter of more than 8 bytes");
	static constexpr size_t parameters = sizeof...(P), bytes[] = {sizeof(P)..., 0};

	// No instrumentation: the driver reads the arguments, not the kernel.
	template <void (*kernel)(P...)> __attribute__((no_sanitize("thread"))) static void call(void **arguments) {
		spread<kernel>(arguments, std::index_sequence_for<P...>());
	}

private:
	template <void (*kernel)(P...), size_t... i>
	__attribute__((no_sanitize("thread"))) static void spread(void **arguments, std::index_sequence<i...>) {
		kernel(*static_cast<P *>(arguments[i])...);
	}
};

template <auto kernel> constexpr Kernel describe(const char *name) {
	using S = Signature<decltype(kernel)>;
	return {name, S::template call<kernel>, S::parameters, S::bytes};
}

} // namespace emulation
