package run

import (
	"cmp"
	"context"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph500/commandline"
	"graph500/report"
	"graph500/rules"
)

// recordedVariables lists the environment variables that go into the record: those of
// batch systems, modules, runtimes and this program.
func recordedVariables() []string {
	return []string{
		"SLURM_JOB_ID", "SLURM_JOB_NAME", "SLURM_JOB_PARTITION", "SLURM_JOB_NODELIST", "SLURM_CPUS_PER_TASK",
		"PBS_JOBID", "PBS_JOBNAME", "PBS_QUEUE",
		"FLUX_JOB_ID",
		"NCPUS", "PBS_NUM_PPN", "OMP_NUM_THREADS",
		"LOADEDMODULES", "GOMAXPROCS", "GODEBUG", "CUDA_VISIBLE_DEVICES",
		"SKIP_VALIDATION", "SKIP_BFS", "TMPFILE", "REUSEFILE",
	}
}

// newRecord returns the record of a run that has just started.
func newRecord(p *Process, o *commandline.Options, e engine.Info) report.Run {
	var r report.Run
	r.Started, r.Command = p.Started, p.Args
	r.Program, r.Machine = report.ThisProgram(p.Commit), report.ThisMachine()
	r.Engine = report.Engine{Name: e.Name, Hardware: e.Hardware, Threads: e.Threads, LabelBits: e.LabelBits, Exchange: e.Exchange, NCCL: e.NCCL, Partition: o.PolicyName()}
	r.Processes = []report.Rank{{Host: r.Machine.Host, Threads: e.Threads, GPUs: len(e.Devices), Memory: r.Machine.Memory}}
	if e.Device != nil {
		r.Device = &report.Device{GPU: report.GPU(*e.Device)}
		r.Devices = report.GPUs(e.Devices)
	}
	r.Environment = make(map[string]string)
	for _, name := range recordedVariables() {
		if value, set := p.Lookup(name); set {
			r.Environment[name] = value
		}
	}
	r.Input = report.Input{Source: cmp.Or(o.Graph, report.Kronecker), Scale: o.Scale, EdgeFactor: float64(o.EdgeFactor), Seed1: o.Seed1, Seed2: o.Seed2}
	return r
}

// finishRecord adds what is known after the last search, of all ranks.
func (b *Bench) finishRecord(ctx context.Context) error {
	peaks, err := cluster.Values(ctx, b.World, struct{ Host, Device uint64 }{report.PeakBytes(), b.engine.DevicePeak()})
	if err != nil {
		return err
	}
	for r, peak := range peaks {
		b.Record.Processes[r].Peak = peak.Host
		b.Record.PeakMemory += peak.Host
		if b.Record.Device != nil {
			b.Record.Device.Peak = max(b.Record.Device.Peak, peak.Device)
		}
	}
	b.Record.NotConforming = b.violations(&b.Record)
	return b.recordBoards(ctx)
}

// violations lists the reasons why a run with this record does not conform to the rules of the
// Graph500 list. Some are known that the record does not show.
func (b *Bench) violations(record *report.Run, known ...rules.Violation) []string {
	if b.foreign != "" {
		known = append(known, rules.Foreign(b.foreign))
	}
	if len(b.Root) > 0 {
		known = append(known, rules.GivenKeys())
	}
	return rules.Reasons(record, known...)
}
