#include "settings.h"

#include <cstdio>
#include <cstdlib>
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

} // namespace emulation
