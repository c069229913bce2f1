// The queue of work of the device. It executes in order: all CUDA streams share it.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

namespace emulation {

class Stream {
public:
	// begin starts the thread that executes the work.
	void begin();

	// push appends a work item and returns its number. The work returns a return
	// code of the driver. After a non-zero code, all later items are skipped.
	uint64_t push(std::function<int()> work);

	// hold keeps one work item back: it is appended before the next item, or when
	// waitForAll is called.
	void hold(std::function<int()> work);

	// wait waits until all items up to a number are done.
	void wait(uint64_t number);

	// waitForAll waits until all items are done, also the one that is held back, and
	// returns failure().
	int waitForAll();

	// waitForAppended is waitForAll without the item that is held back.
	int waitForAppended();

	// isDone reports whether all items up to a number are done.
	bool isDone(uint64_t number);

	// isIdle reports whether all items are done. It waits up to a millisecond for
	// that, because a polling host would take the processor from the working thread.
	bool isIdle();

	// failure returns the code of the failed item, or 0.
	int failure();

private:
	void main();
	void appendHeld(); // the caller has the lock

	std::mutex mutex;
	std::condition_variable changed;
	std::deque<std::function<int()>> queue;
	std::function<int()> held;
	uint64_t pushed = 0, done = 0;
	int failed = 0;
};

} // namespace emulation
