package kronecker

import "math"

// MaxConnected returns an upper bound on the number of vertices with an edge to another
// vertex. It is the mean over all seeds plus 8 sqrt(N), 16 standard deviations or more:
// whether one vertex has an edge makes another one less likely to have one, so the
// variance of their number is at most N/4.
//
// An end of a tuple has each bit 0 with probability A + B = 0.76 before the labels are
// scrambled. So a vertex whose label has b bits 1 is an end of a given tuple with
// probability 0.76^(scale-b) 0.24^b.
func (s Spec) MaxConnected() uint64 {
	n, scale := float64(s.Vertices()), float64(s.Scale)
	var mean float64
	for b := range s.Scale + 1 {
		end := math.Pow(0.76, scale-float64(b)) * math.Pow(0.24, float64(b))
		isolated := math.Exp(2 * float64(s.Tuples()) * math.Log1p(-end))
		mean += choose(s.Scale, b) * (1 - isolated)
	}
	return min(s.Vertices(), uint64(mean+8*math.Sqrt(n)))
}

// choose returns the number of subsets of k of n elements.
func choose(n, k int) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return c
}
