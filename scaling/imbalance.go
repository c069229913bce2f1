package scaling

import (
	"math"
	"math/rand/v2"
)

// Initiator of the official graph: the probability that a bit of an end of a tuple is 0.
const zeroBit = 0.57 + 0.19

// Imbalance simulates the division of the labels of an official graph into equal parts
// and returns the largest number of arcs of a part relative to the mean. Repeated arcs
// count each time. A label has its expected degree, 2 * 16 * 2^scale * 0.76^z *
// 0.24^(scale-z) for z bits 0 before the generator's permutation, which puts it into a
// random part. The largest degrees are drawn one by one, of the others the sum.
func Imbalance(scale, parts int, seed uint64) float64 {
	if parts == 1 {
		return 1
	}
	const drawn = 1 << 13 // at most, labels one by one
	random := rand.New(rand.NewPCG(seed, uint64(scale)))
	arcs := make([]float64, parts)
	var mean, variance float64 // of the sum of the others in a part
	part := 1 / float64(parts)
	count, left := 1.0, float64(drawn) // count: labels with z bits 0
	for z := scale; z >= 0; z-- {
		degree := 32 * Labels(scale) * math.Pow(zeroBit, float64(z)) * math.Pow(1-zeroBit, float64(scale-z))
		if count <= left {
			for range int(count) {
				arcs[random.IntN(parts)] += degree
			}
			left -= count
		} else {
			left = 0
			mean += count * degree * part
			variance += count * degree * degree * part * (1 - part)
		}
		count = math.Round(count * float64(z) / float64(scale-z+1))
	}
	var largest, sum float64
	for _, a := range arcs {
		a += max(0, mean+math.Sqrt(variance)*random.NormFloat64())
		largest, sum = max(largest, a), sum+a
	}
	return largest / sum * float64(parts)
}
