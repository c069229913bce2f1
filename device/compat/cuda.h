/* gorgonia.org/cu v0.9.6 predates CUDA 13. Drivers still export the entry
   points it uses; only NVIDIA's newer headers rename them to later ones with
   other parameters. In front of the toolkit's headers this file takes the
   renaming back; with headers older than that it adds nothing. */
#ifndef GRAPH500_CUDA_H
#define GRAPH500_CUDA_H
#include_next <cuda.h>
#if CUDA_VERSION >= 12080
/* The later entry point is missing from drivers before CUDA 12.8. */
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
