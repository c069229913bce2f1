// The functions of the CUDA driver that the program calls, for emulated GPUs. For
// functions that are missing here, package driver returns
// CUDA_ERROR_STUB_LIBRARY.
//
// As on a real GPU, a faulty kernel loses its device: every later call for it returns the
// error code. A description of the fault goes to standard error.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <list>
#include <mutex>
#include <unistd.h>
#include <vector>

#include "memory.h"
#include "modules.h"
#include "settings.h"
#include "stream.h"

using namespace emulation;

namespace {

enum Result {
	success = 0,
	invalidValue = 1,
	outOfMemory = 2,
	notInitialized = 3,
	noDevice = 100,
	invalidDevice = 101,
	invalidImage = 200,
	invalidContext = 201,
	noBinaryForGPU = 209,
	invalidHandle = 400,
	notFound = 500,
	notReady = 600,
	peerAccessUnsupported = 217,
	hostMemoryAlreadyRegistered = 712,
	hostMemoryNotRegistered = 713,
	peerAccessAlreadyEnabled = 704,
	cooperativeLaunchTooLarge = 720,
	notSupported = 801,
};

constexpr struct {
	int code;
	const char *name, *text;
} results[] = {
	{success, "CUDA_SUCCESS", "no error"},
	{invalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
	{outOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	{notInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
	{34, "CUDA_ERROR_STUB_LIBRARY", "the emulated GPU does not have this function"},
	{noDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
	{invalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
	{invalidImage, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
	{invalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
	{noBinaryForGPU, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
	{invalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	{notFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
	{notReady, "CUDA_ERROR_NOT_READY", "device not ready"},
	{peerAccessUnsupported, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported between these two devices"},
	{hostMemoryAlreadyRegistered, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "part or all of the requested memory range is already mapped"},
	{hostMemoryNotRegistered, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "pointer does not correspond to a registered memory region"},
	{700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
	{peerAccessAlreadyEnabled, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
	{716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
	{719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
	{cooperativeLaunchTooLarge, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch"},
	{notSupported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};

constexpr size_t defaultDynamicLimit = 48 << 10;
constexpr unsigned maxThreads = 1024;

// Function is the target of a CUfunction.
struct Function {
	const Kernel *kernel;
	const Module *module;
	const void *context; // that it was loaded in
	size_t allowed = defaultDynamicLimit; // largest dynamic shared memory in bytes
};

struct Device;

// Context is the target of a CUcontext.
struct Context {
	Device *device;
	std::vector<std::unique_ptr<Module>> modules;
	std::vector<std::unique_ptr<Function>> functions;
};

// Event is the target of a CUevent.
struct Event {
	uint64_t number = 0; // number of its work item in the stream; 0 before it is recorded
	std::chrono::steady_clock::time_point time;
};

struct Device {
	unsigned ordinal;
	Stream stream;
	uint64_t launches = 0;
	void *primary = nullptr; // context; valid if primaryUses
	unsigned primaryUses = 0;
};

// Machine is all devices with their memory.
struct Machine {
	const unsigned slots = setting("EMULATION_SMS", 3);   // of a device
	const std::vector<unsigned> visible = visibleDevices(setting("EMULATION_DEVICES", 1)); // by ordinal
	const bool peers = !getenv("EMULATION_NO_PEER"); // devices can access each other's memory
	const uint64_t seed = setting("EMULATION_SEED", std::chrono::system_clock::now().time_since_epoch().count() % 1000000 + 1);
	std::mutex mutex; // protects memory and contexts
	Memory memory;
	std::vector<std::unique_ptr<Context>> contexts;
	std::vector<std::unique_ptr<Device>> devices;

	bool has(int ordinal) const { return ordinal >= 0 && unsigned(ordinal) < visible.size(); }
};

Machine *machine;

thread_local Context *current;

// ready returns the error of calls without a context, else the code of a failed
// kernel, or 0. Every call that needs a context begins with it.
int ready() {
	if (!machine)
		return notInitialized;
	if (!current)
		return invalidContext;
	return current->device->stream.failure();
}

// inMemory reports whether the host may copy these bytes of the device.
bool inMemory(uintptr_t at, size_t bytes) {
	std::lock_guard lock(machine->mutex);
	if (machine->memory.has(at, bytes, current))
		return true;
	return std::any_of(current->modules.begin(), current->modules.end(), [&](auto &m) { return m->holds(at, bytes); });
}

int copy(void *to, const void *from, size_t bytes) {
	current->device->stream.push([=] {
		memcpy(to, from, bytes);
		return success;
	});
	return current->device->stream.waitForAll();
}

// Work is a kernel with its launch parameters. It holds a copy of the arguments, so
// the caller may change them at once.
struct Work {
	Function *function = nullptr;
	unsigned grid, block;
	size_t dynamicBytes;
	bool cooperative;
	std::vector<uint64_t> values; // of the arguments

	Work() = default;
	Work(void *f, unsigned grid, unsigned block, size_t dynamicBytes, void **arguments, bool cooperative)
		: function(static_cast<Function *>(f)), grid(grid), block(block), dynamicBytes(dynamicBytes), cooperative(cooperative) {
		if (!function)
			return;
		values.resize(function->kernel->parameters);
		for (size_t i = 0; i < values.size(); i++)
			memcpy(&values[i], arguments[i], function->kernel->bytes[i]);
	}

	// isValid reports whether the launch parameters are valid.
	bool isValid() const {
		return function && grid != 0 && block != 0 && block <= maxThreads && dynamicBytes <= function->allowed;
	}
};

// Graph is the target of a CUgraph: kernel nodes, each of which depends on the one before.
// A CUgraphNode points to its Work.
struct Graph {
	std::list<Work> nodes;
};

// Executable is the target of a CUgraphExec.
struct Executable {
	struct Node {
		const Work *node; // of the graph that it was instantiated from
		Work work;
	};
	std::vector<Node> nodes;
};

int launch(const Work &w) {
	if (int code = ready())
		return code;
	if (!w.isValid())
		return invalidValue;
	if (w.function->context != current)
		return invalidHandle;
	if (w.cooperative && w.grid > machine->slots)
		return cooperativeLaunchTooLarge;
	const Kernel *const kernel = w.function->kernel;
	const Module *const module = w.function->module;
	Launch l{};
	l.name = kernel->name;
	l.call = kernel->call;
	l.grid = w.grid;
	l.block = w.block;
	l.dynamicBytes = w.dynamicBytes;
	l.shared = [](const void *m) { return static_cast<const Module *>(m)->shared(); };
	l.module = module;
	l.image = module->image, l.imageEnd = module->imageEnd;
	l.memory = &machine->memory;
	l.owner = current;
	l.line = [](const void *m, uintptr_t at) { return static_cast<const Module *>(m)->line(at); };
	Device *const device = current->device;
	l.device = device->ordinal;
	device->stream.push([l, device, values = w.values]() mutable {
		std::vector<void *> at;
		for (uint64_t &v : values)
			at.push_back(&v);
		l.arguments = at.data();
		const Fault fault = run(l, machine->slots, machine->seed * 0x9E3779B97F4A7C15 + ++device->launches);
		if (fault.code)
			fprintf(stderr, "emulated GPU: %s; EMULATION_SEED=%llu\n", fault.what.c_str(), (unsigned long long)machine->seed);
		return fault.code;
	});
	return success;
}

} // namespace

extern "C" {

int cuInit(unsigned) {
	if (!machine) {
		auto found = std::make_unique<Machine>();
		if (found->visible.empty())
			return noDevice;
		machine = found.release();
		for (unsigned i = 0; i < machine->visible.size(); i++) {
			machine->devices.push_back(std::make_unique<Device>());
			machine->devices.back()->ordinal = i;
			machine->devices.back()->stream.begin();
		}
		fprintf(stderr, "emulated GPU: times are meaningless; EMULATION_SEED=%llu reproduces this thread order\n", (unsigned long long)machine->seed);
	}
	return success;
}

int cuDriverGetVersion(int *version) {
	*version = 13000;
	return success;
}

int cuGetErrorName(int code, const char **text) {
	for (auto &r : results)
		if (r.code == code) {
			*text = r.name;
			return success;
		}
	return invalidValue;
}

int cuGetErrorString(int code, const char **text) {
	for (auto &r : results)
		if (r.code == code) {
			*text = r.text;
			return success;
		}
	return invalidValue;
}

// Devices.

int cuDeviceGetCount(int *n) {
	*n = machine->visible.size();
	return success;
}

int cuDeviceGet(int *d, int ordinal) {
	*d = ordinal;
	return machine->has(ordinal) ? success : invalidDevice;
}

int cuDeviceGetName(char *text, int capacity, int) {
	snprintf(text, capacity, "emulated GPU");
	return success;
}

int cuDeviceGetPCIBusId(char *text, int capacity, int ordinal) {
	if (!machine->has(ordinal))
		return invalidDevice;
	snprintf(text, capacity, "0000:%02x:00.0", machine->visible[ordinal]);
	return success;
}

int cuDeviceTotalMem_v2(size_t *bytes, int) {
	*bytes = machine->memory.total();
	return success;
}

int cuDeviceGetAttribute(int *value, int attribute, int) {
	switch (attribute) {
	case 1: *value = maxThreads; return success; // of a block
	case 8: *value = defaultDynamicLimit; return success;
	case 10: *value = 32; return success; // lanes of a warp
	case 13: *value = 1000; return success; // clock in kHz
	case 16: *value = machine->slots; return success; // multiprocessors
	case 36: *value = 1000; return success; // memory's clock in kHz
	case 37: *value = 64; return success; // memory's bits
	case 38: *value = 1 << 20; return success; // second-level cache
	case 75: *value = 9; return success; // compute capability
	case 76: *value = 0; return success;
	case 91: *value = 1; return success; // page-locked memory has one address
	case 95: *value = 1; return success; // cooperative launches
	case 97: *value = dynamicLimit; return success;
	}
	return invalidValue;
}

// Contexts.

int cuCtxCreate_v2(void **context, unsigned, int ordinal) {
	if (!machine)
		return notInitialized;
	if (!machine->has(ordinal))
		return invalidDevice;
	Device *const device = machine->devices[ordinal].get();
	if (int code = device->stream.failure())
		return code;
	std::lock_guard lock(machine->mutex);
	machine->contexts.push_back(std::make_unique<Context>(device));
	*context = current = machine->contexts.back().get();
	return success;
}

int cuCtxDestroy_v2(void *context) {
	if (int code = static_cast<Context *>(context)->device->stream.waitForAll())
		return code;
	std::lock_guard lock(machine->mutex);
	machine->memory.releaseAll(context);
	if (current == context)
		current = nullptr;
	return std::erase_if(machine->contexts, [&](auto &c) { return c.get() == context; }) ? success : invalidContext;
}

int cuDevicePrimaryCtxSetFlags_v2(int ordinal, unsigned flags) {
	constexpr unsigned mapHost = 8; // of cuCtxCreate only
	if (!machine || !machine->has(ordinal))
		return invalidDevice;
	return flags & mapHost ? invalidValue : success;
}

int cuDevicePrimaryCtxRetain(void **context, int ordinal) {
	if (!machine)
		return notInitialized;
	if (!machine->has(ordinal))
		return invalidDevice;
	Device *const device = machine->devices[ordinal].get();
	if (!device->primaryUses) {
		Context *const before = current;
		if (int code = cuCtxCreate_v2(&device->primary, 0, ordinal))
			return code;
		current = before;
	}
	device->primaryUses++;
	*context = device->primary;
	return success;
}

int cuDevicePrimaryCtxRelease_v2(int ordinal) {
	if (!machine || !machine->has(ordinal) || !machine->devices[ordinal]->primaryUses)
		return invalidContext;
	Device *const device = machine->devices[ordinal].get();
	return --device->primaryUses ? success : cuCtxDestroy_v2(device->primary);
}

int cuCtxSetCurrent(void *context) {
	current = static_cast<Context *>(context);
	return current ? current->device->stream.failure() : int(success);
}

int cuCtxGetCurrent(void **context) {
	*context = current;
	return success;
}

int cuCtxSynchronize() {
	if (int code = ready())
		return code;
	return current->device->stream.waitForAll();
}

// Peer access.

int cuDeviceCanAccessPeer(int *can, int from, int to) {
	*can = machine->peers && from != to;
	return machine->has(from) && machine->has(to) ? success : invalidDevice;
}

int cuDeviceGetP2PAttribute(int *value, int attribute, int from, int to) {
	constexpr int performanceRank = 1, accessSupported = 2, nativeAtomics = 3;
	if (!machine->has(from) || !machine->has(to) || from == to)
		return invalidDevice;
	if (attribute != performanceRank && attribute != accessSupported && attribute != nativeAtomics)
		return invalidValue;
	*value = attribute != performanceRank && machine->peers;
	return success;
}

int cuCtxEnablePeerAccess(void *context, unsigned flags) {
	if (int code = ready())
		return code;
	const Context *const other = static_cast<Context *>(context);
	if (flags || !other || other->device == current->device)
		return invalidValue;
	if (!machine->peers)
		return peerAccessUnsupported;
	std::lock_guard lock(machine->mutex);
	return machine->memory.allow(current, other) ? success : peerAccessAlreadyEnabled;
}

// Modules.

int cuModuleLoadData(void **module, const void *image) {
	if (int code = ready())
		return code;
	if (!memcmp(image, "\177ELF", 4)) // machine code; the caller then loads the PTX
		return noBinaryForGPU;
	std::string error;
	std::unique_ptr<Module> m = Module::load(static_cast<const char *>(image), error);
	if (!m) {
		fprintf(stderr, "emulated GPU: %s\n", error.c_str());
		return invalidImage;
	}
	*module = m.get();
	std::lock_guard lock(machine->mutex);
	current->modules.push_back(std::move(m));
	return success;
}

int cuModuleUnload(void *module) {
	if (int code = ready())
		return code;
	if (int code = current->device->stream.waitForAll())
		return code;
	std::lock_guard lock(machine->mutex);
	return std::erase_if(current->modules, [&](auto &m) { return m.get() == module; }) ? success : invalidHandle;
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
	if (int code = ready())
		return code;
	const Module *m = static_cast<Module *>(module);
	const Kernel *k = m->kernel(name);
	if (!k)
		return notFound;
	std::lock_guard lock(machine->mutex);
	current->functions.push_back(std::make_unique<Function>(Function{k, m, current}));
	*function = current->functions.back().get();
	return success;
}

int cuModuleGetGlobal_v2(uint64_t *at, size_t *bytes, void *module, const char *name) {
	if (int code = ready())
		return code;
	return static_cast<Module *>(module)->global(name, *at, *bytes) ? success : notFound;
}

int cuFuncSetAttribute(void *function, int attribute, int value) {
	if (int code = ready())
		return code;
	constexpr int maxDynamicShared = 8, preferredShared = 9; // the second has no effect here
	if (attribute == preferredShared)
		return value >= -1 && value <= 100 ? success : invalidValue;
	if (attribute != maxDynamicShared)
		return notSupported;
	if (value < 0 || size_t(value) > dynamicLimit)
		return invalidValue;
	static_cast<Function *>(function)->allowed = value;
	return success;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int block, size_t dynamicBytes) {
	if (int code = ready())
		return code;
	*blocks = block > 0 && unsigned(block) <= maxThreads && dynamicBytes <= static_cast<Function *>(function)->allowed;
	return success;
}

// Launches. The program uses only the first dimension.

int cuLaunchKernel(void *function, unsigned grid, unsigned gridY, unsigned gridZ, unsigned block, unsigned blockY, unsigned blockZ, unsigned shared,
	void *, void **arguments, void **) {
	if (gridY != 1 || gridZ != 1 || blockY != 1 || blockZ != 1)
		return notSupported;
	return launch(Work(function, grid, block, shared, arguments, false));
}

int cuLaunchCooperativeKernel(void *function, unsigned grid, unsigned gridY, unsigned gridZ, unsigned block, unsigned blockY, unsigned blockZ,
	unsigned shared, void *, void **arguments) {
	if (gridY != 1 || gridZ != 1 || blockY != 1 || blockZ != 1)
		return notSupported;
	return launch(Work(function, grid, block, shared, arguments, true));
}

// Graphs of kernel nodes, one behind the other.

// NodeParameters is CUDA_KERNEL_NODE_PARAMS of CUDA 11.
struct NodeParameters {
	void *function;
	unsigned grid, gridY, gridZ, block, blockY, blockZ, shared;
	void **arguments, **extra;

	bool isSupported() const { return gridY == 1 && gridZ == 1 && blockY == 1 && blockZ == 1 && !extra; }
	Work work(bool cooperative) const { return Work(function, grid, block, shared, arguments, cooperative); }
};

int cuGraphCreate(void **graph, unsigned) {
	if (int code = ready())
		return code;
	*graph = new Graph;
	return success;
}

int cuGraphDestroy(void *graph) {
	delete static_cast<Graph *>(graph);
	return ready();
}

int cuGraphAddKernelNode(void **node, void *graph, void *const *dependencies, size_t count, const NodeParameters *p) {
	if (int code = ready())
		return code;
	std::list<Work> &nodes = static_cast<Graph *>(graph)->nodes;
	const bool isChain = nodes.empty() ? count == 0 : count == 1 && dependencies[0] == &nodes.back();
	if (!p->isSupported() || !isChain)
		return notSupported;
	Work given = p->work(false);
	if (!given.isValid())
		return invalidValue;
	nodes.push_back(std::move(given));
	*node = &nodes.back();
	return success;
}

int cuGraphKernelNodeSetAttribute(void *node, int attribute, const int *value) {
	if (int code = ready())
		return code;
	constexpr int cooperative = 2;
	if (attribute != cooperative)
		return notSupported;
	static_cast<Work *>(node)->cooperative = *value;
	return success;
}

int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long) {
	if (int code = ready())
		return code;
	if (static_cast<Graph *>(graph)->nodes.empty())
		return notSupported;
	auto *e = new Executable;
	for (const Work &w : static_cast<Graph *>(graph)->nodes)
		e->nodes.push_back({&w, w});
	*executable = e;
	return success;
}

int cuGraphExecDestroy(void *executable) {
	delete static_cast<Executable *>(executable);
	return ready();
}

int cuGraphUpload(void *, void *) { return ready(); }

int cuGraphExecKernelNodeSetParams(void *executable, void *node, const NodeParameters *p) {
	if (int code = ready())
		return code;
	if (!p->isSupported())
		return notSupported;
	for (Executable::Node &n : static_cast<Executable *>(executable)->nodes)
		if (n.node == node) {
			Work given = p->work(n.work.cooperative);
			if (!given.isValid())
				return invalidValue;
			n.work = std::move(given);
			return success;
		}
	return invalidValue;
}

int cuGraphLaunch(void *executable, void *) {
	for (const Executable::Node &n : static_cast<Executable *>(executable)->nodes)
		if (int code = launch(n.work))
			return code;
	return success;
}

// Memory.

int cuMemGetInfo_v2(size_t *free, size_t *total) {
	if (int code = ready())
		return code;
	std::lock_guard lock(machine->mutex);
	*free = machine->memory.available(current->device->ordinal);
	*total = machine->memory.total();
	return success;
}

int cuMemAlloc_v2(uint64_t *at, size_t bytes) {
	if (int code = ready())
		return code;
	if (bytes == 0)
		return invalidValue;
	std::lock_guard lock(machine->mutex);
	*at = machine->memory.allocate(bytes, current, current->device->ordinal, false);
	return *at ? success : outOfMemory;
}

int cuMemFree_v2(uint64_t at) {
	if (int code = ready())
		return code;
	if (int code = current->device->stream.waitForAll())
		return code;
	std::lock_guard lock(machine->mutex);
	return machine->memory.release(at) ? success : invalidValue;
}

// Memory of other processes.

int cuIpcGetMemHandle(ShareHandle *handle, uint64_t at) {
	if (int code = ready())
		return code;
	if (int code = current->device->stream.waitForAll())
		return code;
	std::lock_guard lock(machine->mutex);
	return machine->memory.share(at, *handle) ? success : invalidValue;
}

int cuIpcOpenMemHandle_v2(uint64_t *at, ShareHandle handle, unsigned flags) {
	if (int code = ready())
		return code;
	constexpr unsigned lazyEnablePeerAccess = 1;
	if (handle.mark != shareMark || flags != lazyEnablePeerAccess)
		return invalidValue;
	if (handle.process == getpid())
		return invalidContext;
	if (handle.device != current->device->ordinal && !machine->peers)
		return peerAccessUnsupported;
	std::lock_guard lock(machine->mutex);
	*at = machine->memory.open(handle, current);
	return *at ? success : invalidHandle;
}

int cuIpcCloseMemHandle(uint64_t at) {
	if (int code = ready())
		return code;
	if (int code = current->device->stream.waitForAll())
		return code;
	std::lock_guard lock(machine->mutex);
	return machine->memory.close(at) ? success : invalidValue;
}

// Page-locked memory of the host.

int cuMemHostAlloc(void **at, size_t bytes, unsigned) {
	if (int code = ready())
		return code;
	if (bytes == 0)
		return invalidValue;
	std::lock_guard lock(machine->mutex);
	*at = reinterpret_cast<void *>(machine->memory.allocate(bytes, current, current->device->ordinal, true));
	return *at ? success : outOfMemory;
}

int cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags) {
	if (int code = ready())
		return code;
	constexpr unsigned portable = 1, deviceMap = 2;
	if (bytes == 0 || flags != (portable | deviceMap))
		return invalidValue;
	std::lock_guard lock(machine->mutex);
	return machine->memory.lock(uintptr_t(at), bytes, current) ? success : hostMemoryAlreadyRegistered;
}

int cuMemHostUnregister(void *at) {
	if (int code = ready())
		return code;
	if (int code = current->device->stream.waitForAll())
		return code;
	std::lock_guard lock(machine->mutex);
	return machine->memory.unlock(uintptr_t(at)) ? success : hostMemoryNotRegistered;
}

// Managed memory does not move here: host and kernels access the same.
int cuMemAllocManaged(uint64_t *at, size_t bytes, unsigned flags) {
	constexpr unsigned attachGlobal = 1;
	if (flags != attachGlobal)
		return invalidValue;
	void *host = nullptr;
	const int code = cuMemHostAlloc(&host, bytes, 0);
	*at = uintptr_t(host);
	return code;
}

int cuMemAdvise(uint64_t at, size_t bytes, int, int) { return inMemory(at, bytes) ? success : invalidValue; }

int cuMemHostGetDevicePointer_v2(uint64_t *address, void *at, unsigned) {
	*address = uintptr_t(at);
	return inMemory(uintptr_t(at), 1) ? success : invalidValue;
}

int cuMemFreeHost(void *at) { return cuMemFree_v2(uintptr_t(at)); }

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
	if (int code = ready())
		return code;
	if (!inMemory(to, bytes) || machine->memory.crosses(uintptr_t(from), bytes))
		return invalidValue;
	if (inMemory(uintptr_t(from), bytes)) // page-locked
		return copy(reinterpret_cast<void *>(to), from, bytes);
	// The driver returns when it has read pageable memory. The bytes can reach the device
	// later, but before its next work.
	if (int code = current->device->stream.waitForAll())
		return code;
	const auto *first = static_cast<const char *>(from);
	current->device->stream.hold([to, staged = std::vector<char>(first, first + bytes)] {
		memcpy(reinterpret_cast<void *>(to), staged.data(), staged.size());
		return success;
	});
	return success;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
	if (int code = ready())
		return code;
	if (!inMemory(from, bytes) || machine->memory.crosses(uintptr_t(to), bytes))
		return invalidValue;
	if (int code = copy(to, reinterpret_cast<const void *>(from), bytes))
		return code;
	for (size_t i = 0; i + 4 <= bytes; i += 4) {
		if (Memory::isUndefined(from + i)) {
			fprintf(stderr, "emulated GPU: nothing has written byte %zu of %zu that are copied to the host\n", i, bytes);
			return invalidValue;
		}
	}
	return success;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *) {
	if (int code = ready())
		return code;
	if (!inMemory(to, bytes) || !inMemory(uintptr_t(from), bytes)) // page-locked at once: else the copy fails, or is not asynchronous
		return invalidValue;
	current->device->stream.push([=] {
		memmove(reinterpret_cast<void *>(to), from, bytes);
		return success;
	});
	return success;
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *) {
	if (int code = ready())
		return code;
	if (!inMemory(to, bytes) || !inMemory(from, bytes))
		return invalidValue;
	current->device->stream.push([=] {
		memmove(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes);
		return success;
	});
	return success;
}

int cuMemsetD8Async(uint64_t at, unsigned char value, size_t bytes, void *) {
	if (int code = ready())
		return code;
	if (!inMemory(at, bytes))
		return invalidValue;
	current->device->stream.push([=] {
		memset(reinterpret_cast<void *>(at), value, bytes);
		return success;
	});
	return success;
}

int cuMemsetD32Async(uint64_t at, unsigned value, size_t words, void *) {
	if (int code = ready())
		return code;
	if (at % sizeof value || !inMemory(at, words * sizeof value))
		return invalidValue;
	current->device->stream.push([=] {
		std::fill_n(reinterpret_cast<unsigned *>(at), words, value);
		return success;
	});
	return success;
}

// Streams: all CUDA streams share one queue. Stream 0 also waits for the copies from pageable
// memory.

int cuStreamCreate(void **stream, unsigned) {
	if (int code = ready())
		return code;
	*stream = &current->device->stream;
	return success;
}

int cuStreamDestroy_v2(void *) { return ready(); }

int cuStreamWaitEvent(void *, void *, unsigned) { return ready(); }

int cuStreamSynchronize(void *stream) {
	if (int code = ready())
		return code;
	return stream ? current->device->stream.waitForAppended() : current->device->stream.waitForAll();
}

int cuStreamQuery(void *) {
	if (int code = ready())
		return code;
	return current->device->stream.isIdle() ? current->device->stream.failure() : int(notReady);
}

// Events.

int cuEventCreate(void **event, unsigned) {
	if (int code = ready())
		return code;
	*event = new Event;
	return success;
}

int cuEventDestroy_v2(void *event) {
	const int code = ready();
	current->device->stream.waitForAll();
	delete static_cast<Event *>(event);
	return code;
}

int cuEventRecord(void *event, void *) {
	if (int code = ready())
		return code;
	Event *e = static_cast<Event *>(event);
	e->number = current->device->stream.push([e] {
		e->time = std::chrono::steady_clock::now();
		return success;
	});
	return success;
}

int cuEventSynchronize(void *event) {
	if (int code = ready())
		return code;
	current->device->stream.wait(static_cast<Event *>(event)->number);
	return current->device->stream.failure();
}

int cuEventQuery(void *event) {
	if (int code = ready())
		return code;
	return current->device->stream.isDone(static_cast<Event *>(event)->number) ? success : notReady;
}

int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
	if (int code = ready())
		return code;
	const Event *a = static_cast<Event *>(start), *b = static_cast<Event *>(end);
	if (a->number == 0 || b->number == 0)
		return invalidHandle;
	if (!current->device->stream.isDone(a->number) || !current->device->stream.isDone(b->number))
		return notReady;
	*milliseconds = std::chrono::duration<float, std::milli>(b->time - a->time).count();
	return success;
}

int cuEventElapsedTime_v2(float *milliseconds, void *start, void *end) { return cuEventElapsedTime(milliseconds, start, end); }
}
