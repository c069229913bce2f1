/* A driver for tests: it answers what the environment says and writes down how
   kernels are launched. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int number(const char *name)
{
	const char *text = getenv(name);
	return text ? atoi(text) : 0;
}

int cuInit(unsigned flags) { return flags ? 1 : number("FAKE_INIT"); }

int cuDriverGetVersion(int *version)
{
	*version = number("FAKE_VERSION");
	return 0;
}

int cuDeviceGetCount(int *count)
{
	*count = number("FAKE_DEVICES");
	return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
	*device = ordinal;
	return 0;
}

/* Compute capability 9.0 of the last device, or what the environment says; 1.0
   of the others. */
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	const int major = getenv("FAKE_COMPUTE") ? number("FAKE_COMPUTE") : 9;
	if (attribute != 75)
		return 1;
	*value = device == number("FAKE_DEVICES") - 1 ? major : 1;
	return 0;
}

int cuGetErrorName(int code, const char **name)
{
	*name = code == 100 ? "CUDA_ERROR_NO_DEVICE" : NULL;
	return *name ? 0 : 1;
}

static int launch(const char *how, void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
		  unsigned shared, void *stream, void **args)
{
	printf("%s %p grid %u %u %u block %u %u %u shared %u stream %p args", how, f, gx, gy, gz, bx, by, bz, shared, stream);
	for (int i = 0; i < number("FAKE_ARGS"); i++)
		printf(" %016llx", *(unsigned long long *)args[i]);
	printf("\n");
	fflush(stdout);
	return 0;
}

int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
		   void *stream, void **args, void **extra)
{
	return extra ? 1 : launch("plain", f, gx, gy, gz, bx, by, bz, shared, stream, args);
}

int cuLaunchCooperativeKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
			      unsigned shared, void *stream, void **args)
{
	return launch("cooperative", f, gx, gy, gz, bx, by, bz, shared, stream, args);
}

int cuFuncSetAttribute(void *f, int attribute, int value)
{
	printf("attribute %d of %p is %d\n", attribute, f, value);
	fflush(stdout);
	return 0;
}
