/* A fake NVML for tests, with one GPU, BUS_ID. Its counter grows by 7 J with every call.
   FAKE_NVML_INIT and FAKE_NVML_ENERGY are return codes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BUS_ID
#define BUS_ID "0000:1b:00.0"
#endif

static int number(const char *name)
{
	const char *text = getenv(name);
	return text ? atoi(text) : 0;
}

int nvmlInit_v2(void) { return number("FAKE_NVML_INIT"); }

const char *nvmlErrorString(int code)
{
	return code == 3 ? "Not Supported" : code == 4 ? "Insufficient Permissions" : code == 6 ? "Not Found" : "Unknown Error";
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **device)
{
	*device = (void *)0x1b00;
	return strcmp(bus_id, BUS_ID) ? 6 : 0;
}

int nvmlDeviceGetName(void *device, char *text, unsigned size)
{
	return device == (void *)0x1b00 && (unsigned)snprintf(text, size, "Fake GPU") < size ? 0 : 2;
}

#ifndef WITHOUT_ENERGY
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
	static unsigned long long total = 1ULL << 40; /* more than 32 bits */
	total += 7000;
	*millijoules = device == (void *)0x1b00 ? total : 0;
	return number("FAKE_NVML_ENERGY");
}
#endif
