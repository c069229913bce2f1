// How a module, the compiled form of one .cu file, shows its kernels.
#pragma once
#include <cstddef>
#include <tuple>
#include <utility>

namespace emulation {

// Kernel is a __global__ function. call's arguments point to the parameters, as
// those of cuLaunchKernel do.
struct Kernel {
	const char *name;
	void (*call)(void **arguments);
	size_t parameters;
	const size_t *bytes; // of each parameter, 8 at most
};

template <typename F> struct Signature;
template <typename... P> struct Signature<void (*)(P...)> {
	static_assert(((sizeof(P) <= 8) && ...), "a parameter of more than 8 bytes");
	static constexpr size_t parameters = sizeof...(P), bytes[] = {sizeof(P)..., 0};

	// The reads of the arguments are the driver's.
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
