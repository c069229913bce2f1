package commandline

import (
	"strings"
	"testing"

	"graph500/graph500/output"
	"graph500/graph500/testinput"
)

func TestReferenceArguments(t *testing.T) {
	for _, c := range []struct {
		line, variable    string
		kernel            string
		scale, edgefactor int
	}{
		{"graph500_reference_bfs -kernel both 12 8 -v", "", "both", 12, 8},
		{"/opt/bin/graph500_reference_bfs 12", "", "bfs", 12, 16},
		{"graph500_reference_bfs 12 8", "SKIP_BFS=1", "bfs", 12, 8}, // as the reference does
		{"./graph500_reference_bfs_sssp 12 8", "", "both", 12, 8},
		{"graph500_reference_bfs_sssp 12", "SKIP_BFS=1", "sssp", 12, 16},
		{"graph500_reference_bfs_sssp 12 -kernel=bfs", "", "bfs", 12, 16},
		{"graph500 graph500_reference_bfs_sssp 12 8", "", "both", 12, 8},
		{"graph500_reference_bfs -scale=9", "", "bfs", 9, 16},
	} {
		o, err := ParseFlags(strings.Fields(c.line), testinput.Environment(c.variable), NewCatalogue())
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if o.Kernel != c.kernel || o.Scale != c.scale || o.EdgeFactor != c.edgefactor {
			t.Errorf("%s: %s, scale %d, edgefactor %d", c.line, o.Kernel, o.Scale, o.EdgeFactor)
		}
	}
	for line, want := range map[string]string{
		"graph500 12":                               "unexpected argument \"12\": the scale is given with a flag, as in -scale=20",
		"graph500 -v 12 8":                          "unexpected argument \"12\": the scale is given with a flag, as in -scale=20",
		"graph500_reference_bfs 12 8 4":             "unexpected argument \"4\"",
		"graph500_reference_bfs 12 x":               "unexpected argument \"x\"",
		"graph500_reference_bfs 12 -scale=9":        "argument 12 and flag -scale contradict each other",
		"graph500_reference_bfs 12 8 -edgefactor=9": "argument 8 and flag -edgefactor contradict each other",
		"graph500_reference_bfs 60":                 "flag -scale: 60 is not in ",
		"graph500_reference_bfs 12 0":               "flag -edgefactor: 0 is not in ",
		"graph500_reference_bfs 12 -graph=x":        "flags -graph and -scale contradict each other",
		"graph500_reference_bfs":                    "graph500_reference_bfs needs a scale: graph500_reference_bfs SCALE [EDGEFACTOR]",
		"graph500_reference_bfs 12 file":            "unexpected argument \"file\"",
	} {
		if _, err := ParseFlags(strings.Fields(line), testinput.Environment(), NewCatalogue()); err == nil || !strings.HasPrefix(err.Error(), want) || output.ExitStatus(err) != 2 {
			t.Errorf("%s: %v", line, err)
		}
	}
}
