// An emulated libnccl.so.2, for the devices of one process or of several on one host. A group
// of operations is executed before its call returns, through mailboxes in shared memory.
//
//   EMULATION_NCCL_FAIL=N  the Nth group of a process fails, counted from 1; the first one is
//                          that in which its devices join
//   EMULATION_NCCL_LOSE=N  the Nth group of a process moves nothing; its communicators have an
//                          error in the background from then on
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

// Of the emulated driver.
extern "C" {
int cuCtxGetCurrent(void **);
int cuCtxSetCurrent(void *);
int cuCtxSynchronize();
int cuDevicePrimaryCtxRetain(void **, int);
int cuDevicePrimaryCtxRelease_v2(int);
int cuDeviceGetCount(int *);
}

namespace {

enum Result { success, unhandledCudaError, systemError, internalError, invalidArgument, invalidUsage, remoteError };

constexpr int mostRanks = 32;
constexpr size_t mailBytes = 1 << 14;

// Mailbox carries bytes from one rank to another. It is full or empty.
struct Mailbox {
	std::atomic<uint32_t> bytes; // 0: empty
	char data[mailBytes];
};

// Shared is the memory of a communicator.
struct Shared {
	std::atomic<int> joined, aborted;
	Mailbox box[mostRanks][mostRanks]; // by sender and receiver
};

struct Comm {
	Shared *shared;
	int ranks, rank;
	std::string name;
	void *context; // of the device
	std::atomic<int> problem; // in the background
};

// Operation is a send or a receive.
struct Operation {
	Comm *comm;
	bool sends;
	int peer;
	char *data;
	size_t left;
};

struct ID {
	char bytes[128];
};

thread_local int depth; // of groups
thread_local std::vector<Operation> queued;
thread_local std::vector<Comm *> joining;

std::atomic<unsigned> ids, groups;

// isPrimary reports whether a context is the primary one of a device.
bool isPrimary(void *context) {
	int count = 0;
	cuDeviceGetCount(&count);
	for (int i = 0; i < count; i++) {
		void *primary;
		if (cuDevicePrimaryCtxRetain(&primary, i)) continue;
		cuDevicePrimaryCtxRelease_v2(i);
		if (primary == context) return true;
	}
	return false;
}

// progress moves what it can of an operation and reports whether it moved something.
bool progress(Operation &op) {
	Shared &s = *op.comm->shared;
	Mailbox &box = op.sends ? s.box[op.comm->rank][op.peer] : s.box[op.peer][op.comm->rank];
	const uint32_t full = box.bytes.load(std::memory_order_acquire);
	if (bool(full) == op.sends || !op.left) return false;
	const size_t n = op.sends ? std::min(op.left, mailBytes) : full;
	if (op.sends) {
		memcpy(box.data, op.data, n);
		box.bytes.store(n, std::memory_order_release);
	} else {
		memcpy(op.data, box.data, n);
		box.bytes.store(0, std::memory_order_release);
	}
	op.data += n, op.left -= n;
	return true;
}

// execute executes the operations of a group. Those of one kind with the same peer are
// executed in order.
int execute(std::vector<Operation> &list) {
	for (Operation &op : list) { // after the work queued before
		void *before;
		cuCtxGetCurrent(&before);
		cuCtxSetCurrent(op.comm->context);
		const int code = cuCtxSynchronize();
		cuCtxSetCurrent(before);
		if (code) return unhandledCudaError;
	}
	for (bool all = false; !all;) {
		bool moved = false;
		all = true;
		for (size_t i = 0; i < list.size(); i++) {
			bool blocked = false;
			for (size_t j = 0; j < i && !blocked; j++)
				blocked = list[j].left && list[j].comm == list[i].comm && list[j].sends == list[i].sends && list[j].peer == list[i].peer;
			if (!blocked) moved |= progress(list[i]);
			all &= !list[i].left;
			if (list[i].comm->shared->aborted) return remoteError;
		}
		if (!moved && !all) std::this_thread::sleep_for(std::chrono::microseconds(50));
	}
	return success;
}

// waitForJoins waits until all ranks of the communicators have joined.
int waitForJoins(std::vector<Comm *> &list) {
	for (Comm *c : list) c->shared->joined++;
	for (Comm *c : list) {
		while (c->shared->joined < c->ranks) {
			if (c->shared->aborted) {
				shm_unlink(c->name.c_str());
				return remoteError;
			}
			std::this_thread::sleep_for(std::chrono::milliseconds(1));
		}
		shm_unlink(c->name.c_str());
	}
	return success;
}

// setting returns the number in an environment variable, 0 without it.
unsigned long setting(const char *name) {
	const char *text = getenv(name);
	return text ? strtoul(text, nullptr, 10) : 0;
}

// endGroup executes what the thread has queued.
int endGroup() {
	std::vector<Operation> list;
	std::vector<Comm *> joins;
	list.swap(queued), joins.swap(joining);
	const unsigned long group = ++groups;
	if (group == setting("EMULATION_NCCL_FAIL")) {
		for (Comm *c : joins) c->shared->aborted = 1, shm_unlink(c->name.c_str());
		for (Operation &op : list) op.comm->shared->aborted = 1;
		return systemError;
	}
	if (group == setting("EMULATION_NCCL_LOSE")) {
		for (Operation &op : list) op.comm->problem = remoteError;
		return success;
	}
	if (int code = waitForJoins(joins)) return code;
	return execute(list);
}

// single executes an operation that is not in a group.
int single(const std::function<int()> &queue) {
	depth++;
	const int code = queue();
	const int ended = --depth ? success : endGroup();
	return code ? code : ended;
}

} // namespace

extern "C" {

int ncclGetVersion(int *version) {
	*version = 22803;
	return success;
}

const char *ncclGetErrorString(int code) {
	switch (code) {
	case success: return "no error";
	case unhandledCudaError: return "unhandled cuda error";
	case systemError: return "unhandled system error";
	case invalidArgument: return "invalid argument";
	case invalidUsage: return "invalid usage";
	case remoteError: return "remote process exited or there was a network error";
	}
	return "internal error";
}

int ncclGetUniqueId(ID *id) {
	*id = ID{};
	snprintf(id->bytes, sizeof id->bytes, "/emulated-nccl-%d-%u", getpid(), ++ids);
	return success;
}

int ncclCommInitRank(void **comm, int ranks, ID id, int rank) {
	if (ranks < 1 || ranks > mostRanks || rank < 0 || rank >= ranks) return invalidArgument;
	void *context;
	if (cuCtxGetCurrent(&context) || !context || !isPrimary(context)) return invalidUsage;
	const int file = shm_open(id.bytes, O_CREAT | O_RDWR, 0600);
	if (file < 0) return systemError;
	void *at = MAP_FAILED;
	if (!ftruncate(file, sizeof(Shared))) at = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (at == MAP_FAILED) {
		shm_unlink(id.bytes);
		return systemError;
	}
	Comm *c = new Comm{static_cast<Shared *>(at), ranks, rank, id.bytes, context, {}};
	*comm = c;
	return single([&] {
		joining.push_back(c);
		return int(success);
	});
}

// The memory of the communicator stays: other threads may still use it.
int ncclCommAbort(void *comm) {
	Comm *const c = static_cast<Comm *>(comm);
	c->shared->aborted = 1;
	shm_unlink(c->name.c_str());
	return success;
}

int ncclCommGetAsyncError(void *comm, int *code) {
	*code = static_cast<Comm *>(comm)->problem;
	return success;
}

int ncclSend(const void *from, size_t count, int type, int peer, void *comm, void *) {
	Comm *const c = static_cast<Comm *>(comm);
	if (type != 1 || peer < 0 || peer >= c->ranks || peer == c->rank) return invalidArgument;
	return single([&] {
		queued.push_back({c, true, peer, static_cast<char *>(const_cast<void *>(from)), count});
		return int(success);
	});
}

int ncclRecv(void *to, size_t count, int type, int peer, void *comm, void *) {
	Comm *const c = static_cast<Comm *>(comm);
	if (type != 1 || peer < 0 || peer >= c->ranks || peer == c->rank) return invalidArgument;
	return single([&] {
		queued.push_back({c, false, peer, static_cast<char *>(to), count});
		return int(success);
	});
}

int ncclAllGather(const void *from, void *to, size_t count, int type, void *comm, void *stream) {
	Comm *const c = static_cast<Comm *>(comm);
	return single([&] {
		char *const all = static_cast<char *>(to);
		if (all + c->rank * count != from) return int(invalidArgument); // the program gathers in place
		for (int peer = 0; peer < c->ranks; peer++) {
			if (peer == c->rank) continue;
			if (int code = ncclSend(from, count, type, peer, comm, stream)) return code;
			if (int code = ncclRecv(all + peer * count, count, type, peer, comm, stream)) return code;
		}
		return int(success);
	});
}

int ncclGroupStart() {
	depth++;
	return success;
}

int ncclGroupEnd() { return depth > 0 && --depth == 0 ? endGroup() : success; }
}
