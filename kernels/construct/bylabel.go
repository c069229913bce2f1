//go:build cuda

package construct

import (
	"graph500/device"
	"graph500/engine"
)

// byLabel builds rows of the order ByWeight on distributed devices, whose arcs lead to labels.
type byLabel struct{ weighted }

func (c *byLabel) graph(z sizes) device.Group {
	r := &c.g.ByWeight
	return c.g.group(
		device.Of(&r.Arcs, "arcs by weight", z.entries),
		device.Of(&r.Starts, "starts of rows by weight", z.rows+1),
		device.Of(&r.Heads, "first arcs", z.rows),
		device.Of(&c.g.Index, "index of rows by weight", 32*z.labels.tiles()),
	)
}

func (c *byLabel) work(z sizes) device.Group {
	return device.Group{Alive: engine.Construction, Arrays: c.sorting(z, z.connected)} // writeIndex writes keys of all vertices
}

func (c *byLabel) index() error { return c.writeIndex() }

func (c *byLabel) sort() error { return c.sortGroups(c.storeRows) }

// storeRows appends the rows of the labels from first on, which have that many sorted arcs,
// to the graph, which has base arcs.
func (c *byLabel) storeRows(first, arcs, base uint64) error {
	return c.launch.run("weightedranges", "construct_range_rows", tilesOf(arcs, rowThreads), rowThreads,
		c.keys.Address(), c.values[0].Address(), arcs, base, first, weightBits, c.g.IndexAddress(), c.g.ByWeight.Starts.Address(), c.g.ByWeight.Arcs.Address())
}

func (c *byLabel) finish() error {
	r := &c.g.ByWeight
	if c.sizes.rows == 0 {
		return r.Starts.Fill(0)
	}
	return c.launch.run("weightedranges", "construct_range_heads", tilesOf(c.sizes.rows, rowThreads), rowThreads,
		r.Starts.Address(), c.sizes.rows, uint64(c.stored), r.Arcs.Address(), r.Heads.Address(), c.deviceFacts.Address())
}
