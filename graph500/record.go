package main

import (
	"cmp"
	"context"

	"graph500/cluster"
	"graph500/engine"
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
func newRecord(p *Process, o *options, e engine.Info) report.Run {
	var r report.Run
	r.Started, r.Command = p.Started, p.Args
	r.Program, r.Machine = report.ThisProgram(p.Commit), report.ThisMachine()
	r.Engine = report.Engine{Name: e.Name, Hardware: e.Hardware, Threads: e.Threads, LabelBits: e.LabelBits, Exchange: e.Exchange, NCCL: e.NCCL, Partition: o.policyName()}
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
func (b *bench) finishRecord(ctx context.Context) error {
	peaks, err := cluster.Values(ctx, b.world, struct{ Host, Device uint64 }{report.PeakBytes(), b.engine.DevicePeak()})
	if err != nil {
		return err
	}
	for r, peak := range peaks {
		b.record.Processes[r].Peak = peak.Host
		b.record.PeakMemory += peak.Host
		if b.record.Device != nil {
			b.record.Device.Peak = max(b.record.Device.Peak, peak.Device)
		}
	}
	b.record.NotConforming = b.nonConformities()
	return nil
}

// nonConformities lists the reasons why the run does not conform to the rules of the
// Graph500 list.
func (b *bench) nonConformities() []string {
	var known []rules.Violation // that the record does not show
	if b.foreign != "" {
		known = append(known, rules.Foreign(b.foreign))
	}
	if len(b.Root) > 0 {
		known = append(known, rules.GivenKeys())
	}
	if b.stopped != nil {
		known = append(known, b.stopped.violation())
	}
	return rules.Reasons(&b.record, known...)
}
