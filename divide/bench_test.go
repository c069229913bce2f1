package divide

import (
	"testing"

	"graph500/cluster"
	"graph500/parallel"
)

// BenchmarkDivide divides a Kronecker graph of scale 20 between 8 parts, after the rows are read.
func BenchmarkDivide(b *testing.B) {
	w, team := cluster.Alone(), parallel.NewTeam(2)
	defer team.Close()
	share, g, err := kroneckerGraph(20).share(b.Context(), w, team)
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	for _, name := range []string{"contiguous-hybrid", "contiguous-cartesian", "fennel-hybrid", "fennel-eb-cartesian", "contiguous-hdrf"} {
		b.Run(name, func(b *testing.B) {
			policy, props := with(b, name, 8, 1000)
			rows, err := Read(b.Context(), w, team, share, &props)
			if err != nil {
				b.Fatal(err)
			}
			defer rows.Close()
			for b.Loop() {
				d := New(w, team, rows, props, policy, 100)
				if err := d.Run(b.Context()); err != nil {
					b.Fatal(err)
				}
				if err := d.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
