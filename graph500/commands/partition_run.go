package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"graph500/divide"
	"graph500/engine"
	"graph500/graph500/run"
	"graph500/parallel"
	"graph500/partition"
	"graph500/report"
)

// divideAll divides the graph of the engine by all policies and returns the text for stdout.
func (c *partitioning) divideAll(ctx context.Context, b *run.Bench) (string, error) {
	if err := c.checkMasters(b.Vertices); err != nil {
		return "", err
	}
	team, err := b.NewTeam(ctx)
	if err != nil {
		return "", err
	}
	defer team.Close()
	result := &report.Partitioning{Parts: c.parts, Threshold: c.Threshold, Rounds: c.Rounds, RowWeight: c.RowWeight, ArcWeight: c.ArcWeight, MastersFile: c.Masters}
	props := partition.Props{Parts: c.parts, Threshold: c.Threshold, RowWeight: c.RowWeight, ArcWeight: c.ArcWeight}
	share, err := b.Rows()
	if err != nil {
		return "", err
	}
	var rows *divide.Rows
	if err := b.Phase(ctx, "numbering", 0, func() (err error) {
		rows, err = divide.Read(ctx, b.World, team, share, &props)
		return err
	}); err != nil {
		return "", err
	}
	result.Reading, result.Rows, result.Arcs = b.LastSeconds(), props.Rows, props.Arcs
	c.warn(b, props)
	for _, policy := range c.policies {
		if c.masters != nil {
			policy.Masters = c.given(rows)
		}
		r, err := c.divideBy(ctx, b, team, rows, props, policy)
		if err != nil {
			return "", errors.Join(err, rows.Close())
		}
		result.Policies = append(result.Policies, r)
	}
	if err := rows.Close(); err != nil {
		return "", err
	}
	result.Setup = b.Record.Setup
	return c.write(ctx, b, result)
}

// warn tells what a user may not expect of the parts.
func (c *partitioning) warn(b *run.Bench, props partition.Props) {
	if uint64(c.parts) > props.Rows {
		b.Warn(fmt.Sprintf("flag -parts: %d parts of %d vertices with an edge: some have no master", c.parts, props.Rows))
	}
	isCartesian := func(p partition.Policy) bool { return p.Owner.Name == "cartesian" }
	if c.parts > 2 && props.Columns() == 1 && slices.ContainsFunc(c.policies, isCartesian) {
		b.Warn(fmt.Sprintf("flag -parts: %d is a prime, so that cartesian is the same as source", c.parts))
	}
}

// given returns the rule of -masters.
func (c *partitioning) given(rows *divide.Rows) partition.MasterRule {
	byRow := make([]uint8, len(rows.Labels))
	for row, v := range rows.Labels {
		byRow[row] = c.masters[v]
	}
	return partition.Given(byRow)
}

// divideBy divides the graph by a policy. With -out and a single policy it writes the parts.
func (c *partitioning) divideBy(ctx context.Context, b *run.Bench, team *parallel.Team, rows *divide.Rows, props partition.Props, policy partition.Policy) (r report.PolicyResult, err error) {
	d := divide.New(b.World, team, rows, props, policy, c.Rounds)
	defer func() { err = errors.Join(err, d.Close()) }()
	own := int64(len(rows.Neighbors))
	r = report.PolicyResult{Policy: policy.Name(), Masters: policy.Masters.Name, Owner: policy.Owner.Name}
	for _, phase := range []struct {
		name    string
		steps   int64
		seconds *float64
		run     func(divide.Progress) error
	}{
		{"masters", int64(props.Rows), &r.MastersTime, func(p divide.Progress) error { return d.ChooseMasters(ctx, p) }},
		{"counting", own, &r.CountingTime, func(p divide.Progress) error { return d.Count(ctx, p) }},
		{"allocation", 1, &r.AllocationTime, func(divide.Progress) error { return d.Allocate(ctx) }},
		{"exchange", own, &r.ExchangeTime, func(p divide.Progress) error { return d.Exchange(ctx, p) }},
		{"construction of parts", own, &r.ConstructionTime, func(p divide.Progress) error { return d.Construct(ctx, p) }},
	} {
		name := fmt.Sprintf("%s, %s", policy.Name(), phase.name)
		b.Begin(name)
		untrack := b.Console.Track(name, phase.steps, "steps")
		*phase.seconds, err = b.Timed(ctx, func() error { return phase.run(b.Console.Advance) })
		untrack()
		if err != nil {
			return r, err
		}
	}
	if err := c.figures(ctx, b, d, policy, &r); err != nil || c.Out == "" || len(c.policies) > 1 {
		return r, err
	}
	b.Begin("writing parts")
	return r, c.writeParts(ctx, b, rows, d)
}

// figures adds the figures of a division to its result.
func (c *partitioning) figures(ctx context.Context, b *run.Bench, d *divide.Division, policy partition.Policy, r *report.PolicyResult) error {
	f, err := d.Figures(ctx)
	if err != nil {
		return err
	}
	setFigures(r, f)
	r.MastersBytes, r.CountingBytes, r.ExchangeBytes = f.Bytes(policy.Masters.Streams, c.Rounds)
	most := []int64{int64(engine.Peak(d.Memory(), engine.HostMemory))}
	err = b.World.Max(ctx, most)
	r.Memory = uint64(most[0])
	return err
}

// setFigures stores the figures that can be counted again.
func setFigures(r *report.PolicyResult, f divide.Figures) {
	r.MasterMaxMean, r.VertexMaxMean, r.EdgeMaxMean = divide.MaxMean(f.Masters), divide.MaxMean(f.Proxies), divide.MaxMean(f.Arcs)
	r.Replication, r.Mirrors, r.Cut, r.Moved, r.Groups, r.Pairs = f.Replication(), f.Mirrors(), f.Cut, f.Moved, f.Groups, f.Pairs
	r.MastersCheck, r.ArcsCheck, r.ProxiesCheck = f.MastersCheck, divide.Check(f.Arcs), divide.Check(f.Proxies)
	r.MastersByPart, r.ProxiesByPart, r.ArcsByPart = f.Masters, f.Proxies, f.Arcs
}

// write writes the files of -out but for the parts, and returns the text for stdout.
func (c *partitioning) write(ctx context.Context, b *run.Bench, result *report.Partitioning) (string, error) {
	if b.World.Rank() > 0 {
		return "", b.World.OnFirst(ctx, nil)
	}
	formats := report.PartitionFormats()
	chosen := formats[slices.IndexFunc(formats, func(f report.Format[report.Partitioning]) bool { return f.Name == c.Format })]
	var text strings.Builder
	err := b.World.OnFirst(ctx, func() error {
		if err := chosen.Write(&text, result); err != nil || c.Out == "" {
			return err
		}
		return report.WritePartitioningDir(ctx, c.Out, result)
	})
	return text.String(), err
}
