package engine

// Residency is where an engine with a device keeps the neighbours of a graph.
type Residency string

const (
	// AutoResidency is Resident if the graph fits, unless Prefix is known to make BFS alone faster, else
	// Prefix, else, for BFS on one device, ZeroCopy.
	AutoResidency Residency = "auto"
	// Resident keeps all neighbours in the device's memory.
	Resident Residency = "resident"
	// Prefix keeps the first neighbours of each row in the device's memory, as many as fit,
	// and the others in page-locked host memory, which the device reads. Of BFS by the depths of
	// hubs, a row's hubs and first other neighbours are the last that go there.
	Prefix Residency = "prefix"

	// The others keep all neighbours in host memory, mostly page-locked.

	// ZeroCopy lets the device read those that a level needs where they are.
	ZeroCopy Residency = "zero-copy"
	// Subgraph gathers those that a level needs on the host and copies them.
	Subgraph Residency = "subgraph"
	// Partition copies those of all vertices in partitions of equal size: each that has one
	// of the frontier, as a whole.
	Partition Residency = "partition"
	// Managed is ZeroCopy in managed memory, whose pages the driver moves to the device and
	// back.
	Managed Residency = "managed"
)

// Residencies lists all of them.
func Residencies() []Residency {
	return []Residency{AutoResidency, Resident, Prefix, ZeroCopy, Subgraph, Partition, Managed}
}
