/* A fake driver for tests. Environment variables set its results, and it prints the
   parameters of each kernel launch. */
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

/* The last device has compute capability FAKE_COMPUTE, by default 9.0; the others
   have 1.0. */
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
	for (int i = 0; args && i < number("FAKE_ARGS"); i++)
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

/* A graph of up to two kernel nodes, one behind the other. Each function checks the handles that the others
   return, so a call with a wrong handle or in the wrong order fails. */
struct node_params {
	void *f;
	unsigned gx, gy, gz, bx, by, bz, shared;
	void **args, **extra;
};

static char graph, nodes[2], exec;
static int added, cooperative;

static int print_line(const char *text)
{
	printf("%s\n", text);
	fflush(stdout);
	return 0;
}

static int parameters(const char *how, const struct node_params *p)
{
	return p->extra ? 1 : launch(how, p->f, p->gx, p->gy, p->gz, p->bx, p->by, p->bz, p->shared, NULL, p->args);
}

int cuCtxSetCurrent(void *context) { return context ? 1 : 0; }

int cuGraphCreate(void **g, unsigned flags)
{
	*g = &graph;
	return flags;
}

int cuGraphAddKernelNode(void **n, void *g, void *const *before, size_t number, const struct node_params *p)
{
	if (g != &graph || added == 2 || number != added || (added ? *before != &nodes[0] : before != NULL))
		return 1;
	*n = &nodes[added++];
	return parameters("node", p);
}

int cuGraphKernelNodeSetAttribute(void *n, int attribute, const int *value)
{
	const int is = n == &nodes[added - 1] && attribute == 2 && *value == 1;
	cooperative += is;
	return !is;
}

int cuGraphInstantiateWithFlags(void **e, void *g, unsigned long long flags)
{
	*e = &exec;
	return g != &graph || !added || cooperative != added || flags;
}

int cuGraphUpload(void *e, void *stream) { return e != &exec || !stream ? 1 : number("FAKE_UPLOAD"); }

int cuGraphExecKernelNodeSetParams(void *e, void *n, const struct node_params *p)
{
	return e != &exec || n != &nodes[0] ? 1 : parameters("set", p);
}

int cuGraphLaunch(void *e, void *stream)
{
	printf("graph stream %p\n", stream);
	fflush(stdout);
	return e != &exec;
}

int cuGraphExecDestroy(void *e) { return e != &exec ? 1 : print_line("executable graph destroyed"); }

int cuGraphDestroy(void *g) { return g != &graph ? 1 : print_line("graph destroyed"); }
