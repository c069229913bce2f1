package submission

import (
	"fmt"
	"strconv"

	"graph500/energy"
	"graph500/engine"
	"graph500/memory"
	"graph500/report"
)

// Field is a field of the list. Value is empty if only the site knows it.
type Field struct {
	Name  string
	Value string
	Hint  string // what the site fills in, or what it should look at
}

// Fields lists the fields of a kernel's list. The run must have the kernel.
func Fields(r *report.Run, k engine.Kernel) []Field {
	machine := []Field{
		{"Machine", "", "name of the system"},
		{"Vendor", "", "maker of the system"},
		{"Type", "", "model, or for instance \"cluster\""},
		{"Network", "", networkHint(r)},
		{"Installation site", "", "organisation"},
		{"Location", "", "city"},
		{"Country", "", ""},
		{"Year", "", "of installation"},
		{"Application", "", "area of work of the site, such as research"},
		{"Used", "", "what the system is used for"},
		{"Processor", r.Machine.Processor, ""},
	}
	if d := r.Device; d != nil {
		machine = append(machine,
			Field{"Accelerator", fmt.Sprintf("%d x %s", r.GPUs(), d.Name), ""},
			Field{"Accelerator memory", memory.Size(d.Memory), "of each"})
	}
	return append(machine, []Field{
		{"Number of nodes", strconv.Itoa(len(r.Hosts())), ""},
		{"Number of cores", strconv.Itoa(r.Cores()), coresHint(r)},
		{"Number of processes", strconv.Itoa(r.Ranks()), ""},
		memoryField(r),
		{"Implementation", implementation(r, k), ""},
		{"Scale", strconv.Itoa(r.Input.Scale), "size class: " + sizeClass(r.Input.Scale)},
		{"GTEPS", strconv.FormatFloat(r.Kernel(k).Rates().HarmonicMean/1e9, 'g', 6, 64), "harmonic mean of " + k.Title()},
		{"C_TIME", strconv.FormatFloat(r.Construction, 'g', 6, 64), "construction time in seconds"},
		{"Power", power(r.Kernel(k)), "of the whole system in watts, measured outside; for the Green list"},
		{"Contact", "", "name and e-mail address"},
	}...)
}

// memoryField is the memory of all nodes, if it is recorded.
func memoryField(r *report.Run) Field {
	f := Field{Name: "Memory", Hint: "of all nodes"}
	if n := r.Memory(); n > 0 {
		f.Value = memory.Size(n)
	}
	return f
}

func networkHint(r *report.Run) string {
	if len(r.Hosts()) == 1 {
		return "interconnect; not used by a run on one node"
	}
	return "interconnect of the nodes"
}

func coresHint(r *report.Run) string {
	hint := "logical processors that the run could use"
	if r.Device != nil {
		hint += fmt.Sprintf("; the GPU has %d multiprocessors, which the list may want counted", r.Device.Multiprocessors)
	}
	return hint
}

// power returns the watts of the whole system during the searches, if the log of a power
// meter was joined to the run.
func power(k *report.KernelRun) string {
	for _, e := range k.Energy {
		if e.Part == energy.System {
			return strconv.FormatFloat(e.Watts(), 'g', 6, 64)
		}
	}
	return ""
}

// implementation describes program and search in one line.
func implementation(r *report.Run, k engine.Kernel) string {
	return fmt.Sprintf("graph500 (Go and CUDA), commit %s, %s engine, strategy %s, %d-bit labels",
		r.Program.Commit, r.Engine.Name, r.Kernel(k).Strategy, r.Engine.LabelBits)
}

// sizeClass returns the class of a scale by the specification.
func sizeClass(scale int) string {
	class := "below toy (26)"
	for _, c := range []struct {
		scale int
		name  string
	}{{26, "toy"}, {29, "mini"}, {32, "small"}, {36, "medium"}, {39, "large"}, {42, "huge"}} {
		if scale >= c.scale {
			class = fmt.Sprintf("%s (%d)", c.name, c.scale)
		}
	}
	return class
}
