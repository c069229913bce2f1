/* A fake NVML for tests, with one GPU, BUS_ID. Its counter grows by 7 J with every call, its
   clock falls by 15 MHz. FAKE_NVML_INIT, FAKE_NVML_ENERGY and FAKE_NVML_STATE are return codes,
   FAKE_NVML_REASONS is the set of reasons for lower clocks, FAKE_NVML_PROCESSES the number of
   processes. */
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

int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *mhz)
{
	static unsigned sm = 1995;
	*mhz = kind == 1 ? sm -= 15 : kind == 2 ? 3201 : 0;
	return number("FAKE_NVML_STATE");
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *set)
{
	*set = number("FAKE_NVML_REASONS");
	return number("FAKE_NVML_STATE");
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts)
{
	*milliwatts = 700500;
	return number("FAKE_NVML_STATE");
}

int nvmlDeviceGetEccMode(void *device, unsigned *on, unsigned *after_reset)
{
	*on = 1;
	*after_reset = 0;
	return number("FAKE_NVML_STATE");
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, void *processes)
{
	unsigned room = *count;
	*count = number("FAKE_NVML_PROCESSES");
	return number("FAKE_NVML_STATE") ? number("FAKE_NVML_STATE") : *count > room ? 7 : 0;
}
