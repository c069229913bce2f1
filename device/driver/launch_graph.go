//go:build cuda

package driver

// #include <stdint.h>
// #include <stddef.h>
//
// // CUDA_KERNEL_NODE_PARAMS of CUDA 11. The entry points without a suffix still use
// // it; the headers of CUDA 12 rename the functions to _v2, which use a longer struct.
// struct node_params {
//	void *function;
//	unsigned grid[3], block[3], shared;
//	void **args, **extra;
// };
//
// // CUlaunchAttributeValue, and CU_LAUNCH_ATTRIBUTE_COOPERATIVE of CUlaunchAttributeID.
// union node_attribute {
//	int cooperative;
//	uint64_t words[8];
// };
// enum { cooperative = 2 };
//
// int cuGraphCreate(void **, unsigned);
// int cuGraphAddKernelNode(void **, void *, void *const *, size_t, const struct node_params *);
// int cuGraphKernelNodeSetAttribute(void *, int, const union node_attribute *);
// int cuGraphInstantiateWithFlags(void **, void *, unsigned long long);
// int cuGraphUpload(void *, void *);
// int cuGraphExecKernelNodeSetParams(void *, void *, const struct node_params *);
// int cuGraphLaunch(void *, void *);
// int cuGraphExecDestroy(void *);
// int cuGraphDestroy(void *);
// int cuCtxSetCurrent(void *);
//
// struct launch_graph {
//	struct node_params params; // without the arguments
//	void *context, *stream;
//	void *graph, *exec;
//	void *node, *last; // the first and the last one
//	const char *call; // name of the function called last
// };
//
// #define TRY(function, ...)                              \
//	do {                                            \
//		g->call = #function;                    \
//		const int code = function(__VA_ARGS__); \
//		if (code)                               \
//			return code;                    \
//	} while (0)
//
// // with_args returns the parameters of g with n arguments. It stores the addresses
// // of the arguments in pointers.
// static struct node_params with_args(const struct launch_graph *g, void **pointers, uint64_t *args, int n)
// {
//	struct node_params p = g->params;
//	for (int i = 0; i < n; i++)
//		pointers[i] = &args[i];
//	p.args = pointers;
//	return p;
// }
//
// // append_node adds a node behind the last one.
// static int append_node(struct launch_graph *g, const struct node_params *p)
// {
//	void *node;
//	const union node_attribute yes = {.cooperative = 1};
//	TRY(cuGraphAddKernelNode, &node, g->graph, g->last ? &g->last : NULL, g->last ? 1 : 0, p);
//	g->last = node;
//	TRY(cuGraphKernelNodeSetAttribute, node, cooperative, &yes);
//	return 0;
// }
//
// static int instantiate(struct launch_graph *g)
// {
//	TRY(cuGraphInstantiateWithFlags, &g->exec, g->graph, 0);
//	TRY(cuGraphUpload, g->exec, g->stream);
//	return 0;
// }
//
// static int prepare_launch_graph(struct launch_graph *g, uint64_t *args, int n)
// {
//	void *pointers[n + 1]; // + 1: C forbids an array of length 0
//	const struct node_params p = with_args(g, pointers, args, n);
//	TRY(cuCtxSetCurrent, g->context);
//	TRY(cuGraphCreate, &g->graph, 0);
//	const int code = append_node(g, &p);
//	g->node = g->last;
//	return code ? code : instantiate(g);
// }
//
// static int append_to_launch_graph(struct launch_graph *g, const struct node_params *p)
// {
//	void *const exec = g->exec;
//	TRY(cuCtxSetCurrent, g->context);
//	const int code = append_node(g, p);
//	if (code)
//		return code;
//	g->exec = NULL;
//	TRY(cuGraphExecDestroy, exec);
//	return instantiate(g);
// }
//
// static int launch_graph(struct launch_graph *g, uint64_t *args, int n)
// {
//	void *pointers[n + 1];
//	const struct node_params p = with_args(g, pointers, args, n);
//	TRY(cuCtxSetCurrent, g->context);
//	TRY(cuGraphExecKernelNodeSetParams, g->exec, g->node, &p);
//	TRY(cuGraphLaunch, g->exec, g->stream);
//	return 0;
// }
//
// static int destroy_launch_graph(struct launch_graph *g)
// {
//	void *const graph = g->graph, *const exec = g->exec;
//	g->graph = g->node = g->last = g->exec = NULL;
//	if (graph)
//		TRY(cuCtxSetCurrent, g->context);
//	const int exec_code = exec ? cuGraphExecDestroy(exec) : 0;
//	const int graph_code = graph ? cuGraphDestroy(graph) : 0;
//	g->call = exec_code ? "cuGraphExecDestroy" : "cuGraphDestroy";
//	return exec_code ? exec_code : graph_code;
// }
import "C"

import (
	"unsafe"

	"gorgonia.org/cu"
)

// LaunchGraph is a CUDA graph of cooperative kernel launches, one behind the other. With
// an error, its methods return the name of the driver function that failed.
type LaunchGraph struct {
	graph C.struct_launch_graph
	args  []uint64
}

// Prepare creates the graph of a kernel with that many parameters. Kernel and stream
// belong to the context. Close must be called even after an error.
func (g *LaunchGraph) Prepare(context cu.CUContext, f cu.Function, grid, block, shared int, stream cu.Stream, parameters int) (call string, err error) {
	g.args = make([]uint64, parameters)
	g.graph.params = nodeParams(f, grid, block, shared)
	g.graph.context = *(*unsafe.Pointer)(unsafe.Pointer(&context))
	g.graph.stream = *(*unsafe.Pointer)(unsafe.Pointer(&stream))
	return g.result(C.prepare_launch_graph(&g.graph, (*C.uint64_t)(unsafe.SliceData(g.args)), C.int(len(g.args))))
}

// Then adds the launch of a kernel without parameters behind the others. Close must be
// called even after an error.
func (g *LaunchGraph) Then(f cu.Function, grid, block, shared int) (call string, err error) {
	params := nodeParams(f, grid, block, shared)
	return g.result(C.append_to_launch_graph(&g.graph, &params))
}

func nodeParams(f cu.Function, grid, block, shared int) C.struct_node_params {
	return C.struct_node_params{
		function: *(*unsafe.Pointer)(unsafe.Pointer(&f)),
		grid:     [3]C.uint{C.uint(grid), 1, 1},
		block:    [3]C.uint{C.uint(block), 1, 1},
		shared:   C.uint(shared),
	}
}

// Launch launches the kernels. Each argument holds the bits of one parameter of the first
// one, of at most 8 bytes.
func (g *LaunchGraph) Launch(args ...uint64) (call string, err error) {
	copy(g.args, args)
	return g.result(C.launch_graph(&g.graph, (*C.uint64_t)(unsafe.SliceData(g.args)), C.int(len(g.args))))
}

// Close destroys the graph. Close of an unprepared or closed graph does nothing.
func (g *LaunchGraph) Close() (call string, err error) {
	return g.result(C.destroy_launch_graph(&g.graph))
}

func (g *LaunchGraph) result(code C.int) (call string, err error) {
	if code == 0 {
		return "", nil
	}
	return C.GoString(g.graph.call), Result(code)
}
