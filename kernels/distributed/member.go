//go:build cuda

package distributed

import (
	"graph500/device"
	"graph500/engine"
)

// kernels are the kernels of levels.cu on a device, and the numbers of their blocks that are
// resident at once.
type kernels struct {
	startRoot, expandQueue, takeList, lookUp, listQueue resident
}

// resident is a kernel with a loop over its work.
type resident struct {
	kernel *device.Kernel
	blocks int
}

// find looks up the kernels.
func (k *kernels) find(d *device.Device) error {
	module, err := d.Load("distributed", images, "levels")
	if err != nil {
		return err
	}
	for _, x := range []struct {
		to   *resident
		name string
	}{
		{&k.startRoot, "start"}, {&k.expandQueue, "expand"}, {&k.takeList, "take"}, {&k.lookUp, "bottom_up"}, {&k.listQueue, "queue"},
	} {
		if err := x.to.find(module, "distributed_"+x.name); err != nil {
			return err
		}
	}
	return nil
}

// find looks up the kernel.
func (k *resident) find(module *device.Module, name string) (err error) {
	if k.kernel, err = module.Kernel(name); err != nil {
		return err
	}
	k.blocks, err = k.kernel.Resident(device.BlockThreads)
	return err
}

// launchAll launches the kernel for work that the host does not know.
func (k resident) launchAll(args ...uint64) error {
	return k.kernel.Launch(k.blocks, device.BlockThreads, 0, args...)
}

// launch launches the kernel for work of that many threads; none is no work.
func (k resident) launch(threads int, args ...uint64) error {
	if threads == 0 {
		return nil
	}
	return k.kernel.Launch(min(k.blocks, (threads+device.BlockThreads-1)/device.BlockThreads), device.BlockThreads, 0, args...)
}

// start makes the root the frontier.
func (m *member) start(root engine.Label) error {
	if err := m.visited[0].Fill(0); err != nil {
		return err
	}
	if err := m.totals.Fill(0); err != nil {
		return err
	}
	var own uint64
	if v := uint64(root); v >= m.graph.Labels.First && v < m.graph.Labels.End {
		own = 1
	}
	return m.startRoot.kernel.Launch(1, 1, 0, uint64(root), own, m.graph.IndexAddress(), m.graph.ByDegree.Rows.Address(),
		m.visited[0].Address(), m.parents.Address(), m.queue.Address(), m.totals.Address())
}

// makeQueue makes the queue of the vertices that the last level, a bottom-up one, has found.
func (m *member) makeQueue(side int) error {
	if err := m.totals.Fill(0); err != nil {
		return err
	}
	return m.listQueue.launch(32*m.words.Count, uint64(m.words.First), uint64(m.words.First+m.words.Count),
		m.visited[side].Address(), m.visited[side^1].Address(), m.queue.Address(), m.totals.Address())
}

// expand visits the neighbours of the queue and lists those that were not visited.
func (m *member) expand(side int) error {
	if err := m.totals.Fill(0); err != nil {
		return err
	}
	count := m.counts.Queued
	return m.expandQueue.launch(int(count), m.queue.Address(), uint64(count), m.graph.IndexAddress(), m.graph.ByDegree.Rows.Address(), m.graph.ByDegree.Neighbors.Address(),
		m.visited[side].Address(), m.found.Address(), m.totals.Address())
}

// take takes what the device needs of the pairs in the buffer.
func (m *member) take(count, side int) error {
	return m.takeList.launch(count, m.buffer.Address(), uint64(count), m.graph.Labels.First, m.graph.Labels.End, uint64(m.graph.Info.Vertices),
		m.graph.IndexAddress(), m.graph.ByDegree.Rows.Address(), m.visited[side].Address(), m.parents.Address(), m.queue.Address(), m.totals.Address())
}

// bottomUp looks for parents of the device's unvisited vertices.
func (m *member) bottomUp(side int) error {
	if err := m.totals.Fill(0); err != nil {
		return err
	}
	return m.lookUp.launch(32*m.words.Count, uint64(m.words.First), uint64(m.words.First+m.words.Count), m.graph.IndexAddress(), m.graph.ByDegree.Rows.Address(),
		m.graph.ByDegree.Neighbors.Address(), m.visited[side].Address(), m.visited[side^1].Address(), m.parents.Address(), m.totals.Address())
}

// readCounts waits for the kernels and reads what they counted.
func (m *member) readCounts() error {
	var c [1]counts
	err := m.totals.Read(0, c[:])
	m.counts = c[0]
	return err
}
