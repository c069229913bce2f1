#include "settings.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <unistd.h>

namespace emulation {

uint64_t setting(const char *name, uint64_t defaultValue) {
	const char *text = getenv(name);
	if (!text || !*text)
		return defaultValue;
	char *end;
	const uint64_t value = strtoull(text, &end, 10);
	if (*end || value == 0) {
		fprintf(stderr, "emulated GPU: %s=%s is not a positive number\n", name, text);
		_exit(2);
	}
	return value;
}

std::vector<unsigned> visibleDevices(unsigned count) {
	std::vector<unsigned> list;
	const char *text = getenv("CUDA_VISIBLE_DEVICES");
	if (!text) {
		list.resize(count);
		std::iota(list.begin(), list.end(), 0);
		return list;
	}
	while (isdigit((unsigned char)*text)) {
		char *end;
		const unsigned long index = strtoul(text, &end, 10);
		if ((*end && *end != ',') || index >= count || std::find(list.begin(), list.end(), index) != list.end())
			break;
		list.push_back(index);
		text = *end ? end + 1 : end;
	}
	return list;
}

} // namespace emulation
