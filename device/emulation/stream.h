// What the host asked the device to do, one thing after the other: all streams
// are one here.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

namespace emulation {

class Stream {
public:
	// begin starts the thread that does the work.
	void begin();

	// push puts a piece of work at the end and returns its number. The work
	// returns a return code of the driver. After one that is not 0 none is done
	// any more.
	uint64_t push(std::function<int()> work);

	// wait waits until everything up to a number is done.
	void wait(uint64_t number);

	// waitForAll waits until everything is done and returns the code of the work
	// that failed, or 0.
	int waitForAll();

	// isDone says whether everything up to a number is done.
	bool isDone(uint64_t number);

	// isIdle says whether everything is done. It waits a while for that, because
	// a host that asks without end takes the processor from the one that works.
	bool isIdle();

	// failure returns the code of the work that failed, or 0.
	int failure();

private:
	void main();

	std::mutex mutex;
	std::condition_variable changed;
	std::deque<std::function<int()>> queue;
	uint64_t pushed = 0, done = 0;
	int failed = 0;
};

} // namespace emulation
