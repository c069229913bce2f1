package commandline

import (
	"strconv"

	"graph500/graph"
	"graph500/partition"
)

// CheckOneRank returns an error if the command needs more than one rank allows: only the
// benchmark and the texts run over several ranks.
func CheckOneRank(ranks int, command string) error {
	if ranks > 1 {
		return Usagef("%s does not run over several ranks: start one process", command)
	}
	return nil
}

// ranksVariable holds the number of ranks for which -version checks the flags. run.sh sets it
// before it starts the ranks.
const ranksVariable = "GRAPH500_RANKS"

// RanksToCheck returns the number of ranks for which -version checks the flags.
func RanksToCheck(ranks int, lookup func(string) (string, bool)) (int, error) {
	text, set := lookup(ranksVariable)
	if !set {
		return ranks, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, Usagef("%s=%s is not a whole number above 0", ranksVariable, text)
	}
	return n, nil
}

// CheckRanks returns an error if the run does something that several ranks cannot do yet.
func CheckRanks(ranks int, o *Options) error {
	if ranks == 1 {
		if o.PolicyName() != "" {
			return Usagef("flag -partition=%s: it is for several ranks, start them with a launcher such as mpirun", o.Partition)
		}
		return nil
	}
	for _, c := range []struct {
		wrong bool
		what  string
	}{
		{o.IsSweep(), "a run of several scales"},
		{o.Energy, "flag -energy"},
		{o.RepeatFor > 0, "flag -repeat-for"},
		{o.Integers(), "flag -weights=" + IntegerWeights},
		{graph.IsCompressed(o.WriteEdges), "flag -write-edges with a compressed file"},
		{graph.IsCompressed(o.TempFile), "TMPFILE with a compressed file"},
	} {
		if c.wrong {
			return CheckOneRank(ranks, c.what)
		}
	}
	if o.PolicyName() != "" && ranks > partition.MostParts {
		return Usagef("flag -partition=%s: it divides between at most %d ranks, and not %d", o.Partition, partition.MostParts, ranks)
	}
	if err := o.checkResidencyOfSeveral(); err != nil {
		return err
	}
	for _, k := range o.Kernels() {
		if !o.Catalogue.runsOverRanks(k, o.StrategyOf(k)) {
			return CheckOneRank(ranks, "strategy "+o.StrategyOf(k))
		}
	}
	return nil
}
