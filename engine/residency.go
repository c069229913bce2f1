package engine

// Residency is where an engine with a device keeps the neighbours of a graph.
type Residency string

const (
	// AutoResidency is Resident if the graph fits, else Prefix.
	AutoResidency Residency = "auto"
	// Resident keeps all neighbours in the device's memory.
	Resident Residency = "resident"
	// Prefix keeps the first neighbours of each row in the device's memory, as many as fit,
	// and the others in page-locked host memory, which the device reads.
	Prefix Residency = "prefix"
)

// Residencies lists all of them.
func Residencies() []Residency { return []Residency{AutoResidency, Resident, Prefix} }
