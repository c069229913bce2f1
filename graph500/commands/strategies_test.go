package commands

import (
	"strings"
	"testing"

	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/graph500/testinput"
)

// parseStrategies parses the arguments of a comparison.
func parseStrategies(args []string) error {
	o, own := &commandline.Options{Catalogue: testinput.Strategies()}, new(strategiesFlags)
	flags := strategiesParser(o, own)
	names, err := flags.Parse(args)
	if err == nil {
		err = checkStrategies(o, flags, names)
	}
	return err
}

func TestComparisonFlags(t *testing.T) {
	for _, args := range []struct{ args, want string }{
		{"-strategy=push", "flag -strategy does not go with strategies: name the strategies without a flag, or none for all"},
		{"-skip-validation", "flag -skip-validation does not go with strategies: every search is validated"},
		{"-write-parents=x", "flag -write-parents does not go"},
		{"-memory", "flag -memory does not go"},
		{"-residency=prefix -engine=gpu", "flag -residency=prefix: other strategies than default need all neighbours in the memory of the GPU, name this one only"},
		{"-gpus=2", "flag -gpus does not go with strategies: the strategies run on one GPU"},
		{"-kernel=both", `flag -kernel: there is no "both"; all are bfs, sssp`},
		{"-kernel=tree", `flag -kernel: there is no "tree"`},
		{"-check-distances=x", "flag -check-distances does not go"},
		{"-limit=0", "flag -limit: 0 is not in 0.001..604800"},
		{"-limit=NaN", "flag -limit: NaN is not in 0.001..604800"},
		{"-limit=x", `flag -limit: "x" is not`},
		{"-format=official", `flag -format: there is no "official"; all are table`},
		{"-version -scale=99", "flag -scale: 99 is not in 1..31"},
		{"-scale=99", "flag -scale: 99 is not in 1..31"},
		{"-lmit=3", "unknown flag -lmit, the nearest is -limit"},
	} {
		err := parseStrategies(strings.Fields(args.args))
		if err == nil || !strings.HasPrefix(err.Error(), args.want) || output.ExitStatus(err) != 2 {
			t.Errorf("%s: %v", args.args, err)
		}
	}
}
