/* gorgonia.org/cu v0.9.6 predates CUDA 13. Drivers still export the entry points
   that it uses, but NVIDIA's newer headers rename them to later versions with other
   parameters. This file precedes the toolkit's headers in the include path and
   undoes the renaming. With older headers it has no effect. */
#ifndef GRAPH500_CUDA_H
#define GRAPH500_CUDA_H
#include_next <cuda.h>
#if CUDA_VERSION >= 12080
/* Drivers before CUDA 12.8 do not have the later entry point. */
#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float *, CUevent, CUevent);
#endif
#if CUDA_VERSION >= 13000
#undef cuCtxCreate
#undef cuMemAdvise
#undef cuMemPrefetchAsync
#undef cuGraphAddDependencies
#undef cuGraphGetEdges
#define cuCtxCreate cuCtxCreate_v2
CUresult cuCtxCreate_v2(CUcontext *, unsigned int, CUdevice);
CUresult cuMemAdvise(CUdeviceptr, size_t, CUmem_advise, CUdevice);
CUresult cuMemPrefetchAsync(CUdeviceptr, size_t, CUdevice, CUstream);
CUresult cuGraphAddDependencies(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
CUresult cuGraphGetEdges(CUgraph, CUgraphNode *, CUgraphNode *, size_t *);
#endif
#endif
