/* The entry points of NVML that the program calls, with result and parameters. Handles
   of devices are pointers, return codes are int. One per line, in any order. */
ENTRY(int, nvmlInit_v2, (void))
ENTRY(const char *, nvmlErrorString, (int))
ENTRY(int, nvmlDeviceGetHandleByPciBusId_v2, (const char *, void **))
ENTRY(int, nvmlDeviceGetName, (void *, char *, unsigned))
ENTRY(int, nvmlDeviceGetTotalEnergyConsumption, (void *, unsigned long long *))
