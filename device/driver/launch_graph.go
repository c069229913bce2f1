//go:build cuda

package driver

// #include <stdint.h>
// #include <stddef.h>
//
// // CUDA_KERNEL_NODE_PARAMS of CUDA 11, which the entry points without a suffix
// // take to this day; the headers of CUDA 12 rename them to _v2, with a longer one.
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
//	struct node_params params; // but for the arguments
//	void *context, *stream;
//	void *graph, *node, *exec;
//	const char *call; // the function called last
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
// // with_args returns g's parameters with n arguments, whose addresses go to at.
// static struct node_params with_args(const struct launch_graph *g, void **at, uint64_t *args, int n)
// {
//	struct node_params p = g->params;
//	for (int i = 0; i < n; i++)
//		at[i] = &args[i];
//	p.args = at;
//	return p;
// }
//
// static int prepare_launch_graph(struct launch_graph *g, uint64_t *args, int n)
// {
//	void *at[n + 1]; // one more: a length of zero is not C
//	const struct node_params p = with_args(g, at, args, n);
//	const union node_attribute yes = {.cooperative = 1};
//	TRY(cuCtxSetCurrent, g->context);
//	TRY(cuGraphCreate, &g->graph, 0);
//	TRY(cuGraphAddKernelNode, &g->node, g->graph, NULL, 0, &p);
//	TRY(cuGraphKernelNodeSetAttribute, g->node, cooperative, &yes);
//	TRY(cuGraphInstantiateWithFlags, &g->exec, g->graph, 0);
//	TRY(cuGraphUpload, g->exec, g->stream);
//	return 0;
// }
//
// static int launch_graph(struct launch_graph *g, uint64_t *args, int n)
// {
//	void *at[n + 1];
//	const struct node_params p = with_args(g, at, args, n);
//	TRY(cuCtxSetCurrent, g->context);
//	TRY(cuGraphExecKernelNodeSetParams, g->exec, g->node, &p);
//	TRY(cuGraphLaunch, g->exec, g->stream);
//	return 0;
// }
//
// static int destroy_launch_graph(struct launch_graph *g)
// {
//	void *const graph = g->graph, *const exec = g->exec;
//	g->graph = g->node = g->exec = NULL;
//	if (graph)
//		TRY(cuCtxSetCurrent, g->context);
//	const int code = exec ? cuGraphExecDestroy(exec) : 0;
//	const int then = graph ? cuGraphDestroy(graph) : 0;
//	g->call = code ? "cuGraphExecDestroy" : "cuGraphDestroy";
//	return code ? code : then;
// }
import "C"

import (
	"unsafe"

	"gorgonia.org/cu"
)

// LaunchGraph is a CUDA graph of one node: a launch of a kernel as that of
// LaunchCooperative. Its methods return the name of the driver's function that
// failed beside the error.
type LaunchGraph struct {
	graph C.struct_launch_graph
	args  []uint64
}

// Prepare makes the graph of a kernel with that many parameters; kernel and
// stream are of the context. Close is to be called after an error too.
func (g *LaunchGraph) Prepare(context cu.CUContext, f cu.Function, grid, block, shared int, stream cu.Stream, parameters int) (call string, err error) {
	g.args = make([]uint64, parameters)
	g.graph.params = C.struct_node_params{
		function: *(*unsafe.Pointer)(unsafe.Pointer(&f)),
		grid:     [3]C.uint{C.uint(grid), 1, 1},
		block:    [3]C.uint{C.uint(block), 1, 1},
		shared:   C.uint(shared),
	}
	g.graph.context = *(*unsafe.Pointer)(unsafe.Pointer(&context))
	g.graph.stream = *(*unsafe.Pointer)(unsafe.Pointer(&stream))
	return g.result(C.prepare_launch_graph(&g.graph, (*C.uint64_t)(unsafe.SliceData(g.args)), C.int(len(g.args))))
}

// Launch launches the kernel with these arguments, one for each parameter: its
// bits, 8 bytes at most.
func (g *LaunchGraph) Launch(args ...uint64) (call string, err error) {
	copy(g.args, args)
	return g.result(C.launch_graph(&g.graph, (*C.uint64_t)(unsafe.SliceData(g.args)), C.int(len(g.args))))
}

// Close destroys what Prepare made. A closed one, and one that is not prepared,
// stay as they are.
func (g *LaunchGraph) Close() (call string, err error) {
	return g.result(C.destroy_launch_graph(&g.graph))
}

func (g *LaunchGraph) result(code C.int) (call string, err error) {
	if code == 0 {
		return "", nil
	}
	return C.GoString(g.graph.call), Result(code)
}
