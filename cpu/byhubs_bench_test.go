package cpu

import (
	"errors"
	"testing"

	"graph500/engine"
)

// BenchmarkByHubs measures the default search of the official graph of scale 20 with two workers.
func BenchmarkByHubs(b *testing.B) {
	facts := readFacts[keyFacts](b, 20)
	s := official(b, 20, "default", 1)
	defer s.Close()
	b.ResetTimer()
	for i := range b.N {
		b.StopTimer()
		if err := s.Clear(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if err := errors.Join(s.Search(b.Context(), engine.Vertex(facts[i%len(facts)].Root))); err != nil {
			b.Fatal(err)
		}
	}
}
