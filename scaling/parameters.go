package scaling

import "fmt"

// parameter describes a field of Machine.
type parameter struct {
	name   string
	of     func(*Machine) *float64
	unit   float64 // the value is printed in this unit
	symbol string
	mark   string // measured, fitted to figures of Measured, estimated or data sheet
	source string
}

// parameters lists all fields of Machine but the number of GPUs.
func parameters() []parameter {
	return []parameter{
		{"memory of a GPU", func(m *Machine) *float64 { return &m.Memory }, 1 << 30, "GiB", "measured", "H200, as the driver reports it"},
		{"part of it for the graph", func(m *Machine) *float64 { return &m.GraphShare }, 1, "", "estimated", "construction peaks at 97 GB where the graph has 69 GB (arithmetic, scale 32 on 8 GPUs)"},
		{"peer rate into a GPU", func(m *Machine) *float64 { return &m.Peer }, 1e9, "GB/s", "measured", "slices of a bitmap stored into 1 or 3 peers inside a kernel: 128 MiB in 189 µs on 2 H200, in 291 µs on 4"},
		{"network rate into a GPU", func(m *Machine) *float64 { return &m.Network }, 1e9, "GB/s", "estimated", "one port of 400 Gbit/s for each GPU, no contention"},
		{"latency between nodes", func(m *Machine) *float64 { return &m.Latency }, 1e-6, "µs", "estimated", ""},
		{"start of an exchange between nodes", func(m *Machine) *float64 { return &m.Start }, 1e-6, "µs", "estimated", "kernel, NCCL, kernel on one host: 39 to 69 µs measured for a MiB"},
		{"further receiver", func(m *Machine) *float64 { return &m.Message }, 1e-6, "µs", "estimated", ""},
		{"launch and wait", func(m *Machine) *float64 { return &m.Launch }, 1e-6, "µs", "measured", "host's part of a search, medians of 6 to 19 µs"},
		{"latency of a level", func(m *Machine) *float64 { return &m.Level }, 1e-6, "µs", "fitted", ""},
		{"the same of several GPUs, in addition", func(m *Machine) *float64 { return &m.PeerLevel }, 1e-6, "µs", "fitted", "a barrier of 2 or 4 GPUs takes 2.2 µs (measured)"},
		{"arc of a top-down level", func(m *Machine) *float64 { return &m.Arc }, 1e-12, "ps", "measured", "78 M arcs in 1.25 ms at scale 28"},
		{"label in the dense passes", func(m *Machine) *float64 { return &m.Label }, 1e-12, "ps", "fitted", ""},
		{"look-ups in bitmaps for a label", func(m *Machine) *float64 { return &m.LookUps }, 1, "", "fitted", ""},
		{"look-up in the cache", func(m *Machine) *float64 { return &m.Hit }, 1e-12, "ps", "measured", "157 G random loads a second in a table of 16 MiB"},
		{"look-up in memory", func(m *Machine) *float64 { return &m.Miss }, 1e-12, "ps", "measured", "58 G random loads a second in a table of 128 MiB, less its hits"},
		{"second-level cache", func(m *Machine) *float64 { return &m.Cache }, 1e6, "MB", "data sheet", "H200"},
	}
}

func parameterTable(m Machine) string {
	rows := [][]string{{"GPUs of a node", fmt.Sprint(m.GPUs), "", "chosen", ""}}
	for _, p := range parameters() {
		rows = append(rows, []string{p.name, number(*p.of(&m) / p.unit), p.symbol, p.mark, p.source})
	}
	return markdown([]string{"parameter", "value", "<unit", "<mark", "<from"}, rows)
}
