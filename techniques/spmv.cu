// spmv: the linear-algebra form, a boolean sparse matrix-vector product with a
// mask (PMPP 15.4; Kepner and Gilbert 2011; GraphBLAS).
//
// What it does: a level is y<not visited> = A x, where A is the matrix of the
// graph and x is the frontier as a dense vector. With "first of the two that is
// there" for the sum and "the vector's entry" for the product, y is not only
// true or false but holds a parent: x holds each vertex of the frontier at its
// own place. Two operations of a library make a level: the product, one warp a
// row of CSR (CSR-vector, Bell and Garland 2009), and an assignment that adds y
// to the parents, makes it the next x and counts its entries.
//
// What it costs: every level reads x for all edges of all vertices that are not
// visited. The library knows a matrix and not a search: it does not stop at the
// first neighbour that will do, nor skip rows that cannot find one.
//
// Bottleneck: memory bandwidth, for edges and the scattered entries of x; on
// short rows most of a warp has nothing to do.
#include "technique.cuh"

// spmv_start makes the root its own parent and the first frontier. x is all none
// before. One thread.
extern "C" __global__ void spmv_start(u32 *parents, u32 *x, u32 root) {
	parents[root] = root;
	x[root] = root;
}

// spmv_multiply sets y, which has an entry a row, to A x under the mask of the
// rows without a parent: the least entry of x among the neighbours, or none.
extern "C" __global__ void spmv_multiply(const Row *rows, u32 count, const u32 *neighbors, const u32 *parents,
	const u32 *x, u32 *y) {
	const u64 i = thread() / 32;
	const u32 lane = threadIdx.x % 32;
	if (i >= count)
		return;
	const Row row = rows[i];
	u32 sum = none;
	if (parents[row.label] == none) {
		for (u32 k = lane; k < row.degree; k += 32)
			sum = min(sum, x[neighbors[row.start + k]]);
		sum = __reduce_min_sync(~0u, sum);
		if (lane == 0)
			examined(row.degree);
	}
	if (lane == 0)
		y[i] = sum;
}

// spmv_assign makes the entries of y parents and the next x, and adds their
// number to entries, which is zero before.
extern "C" __global__ void spmv_assign(const Row *rows, u32 count, u32 *parents, u32 *x, const u32 *y, u32 *entries) {
	const u64 i = thread();
	bool found = false;
	if (i < count) {
		const u32 v = rows[i].label;
		found = y[i] != none;
		if (found)
			parents[v] = y[i];
		x[v] = found ? v : none;
	}
	const int inBlock = __syncthreads_count(found);
	if (threadIdx.x == 0 && inBlock)
		atomicAdd(entries, inBlock);
}
