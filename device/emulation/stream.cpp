#include "stream.h"

#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

namespace emulation {

void Stream::begin() {
	// The signal handlers of the host program must run on its own threads.
	sigset_t all, before;
	sigfillset(&all);
	for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
		sigdelset(&all, s);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	std::thread(&Stream::main, this).detach();
	pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Stream::main() {
	std::unique_lock lock(mutex);
	for (;;) {
		changed.wait(lock, [&] { return !queue.empty(); });
		std::function<int()> work = std::move(queue.front());
		queue.pop_front();
		const bool skip = failed;
		lock.unlock();
		const int code = skip ? 0 : work();
		lock.lock();
		if (code)
			failed = code;
		done++;
		changed.notify_all();
	}
}

void Stream::appendHeld() {
	if (!held)
		return;
	queue.push_back(std::exchange(held, nullptr));
	pushed++;
	changed.notify_all();
}

uint64_t Stream::push(std::function<int()> work) {
	std::lock_guard lock(mutex);
	appendHeld();
	queue.push_back(std::move(work));
	changed.notify_all();
	return ++pushed;
}

void Stream::hold(std::function<int()> work) {
	std::lock_guard lock(mutex);
	appendHeld();
	held = std::move(work);
}

void Stream::wait(uint64_t number) {
	std::unique_lock lock(mutex);
	changed.wait(lock, [&] { return done >= number; });
}

int Stream::waitForAll() {
	{
		std::lock_guard lock(mutex);
		appendHeld();
	}
	return waitForAppended();
}

int Stream::waitForAppended() {
	std::unique_lock lock(mutex);
	changed.wait(lock, [&] { return done == pushed; });
	return failed;
}

bool Stream::isDone(uint64_t number) {
	std::lock_guard lock(mutex);
	return done >= number;
}

bool Stream::isIdle() {
	std::unique_lock lock(mutex);
	return changed.wait_for(lock, std::chrono::milliseconds(20), [&] { return done == pushed; });
}

int Stream::failure() {
	std::lock_guard lock(mutex);
	return failed;
}

} // namespace emulation
