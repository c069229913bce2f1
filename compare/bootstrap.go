package compare

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	resamples  = 4000
	confidence = 0.95
)

// students holds the 97.5 % quantiles of Student's distribution with 1, 2, ... degrees of
// freedom.
var students = []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228}

// normal is the 97.5 % quantile of the normal distribution.
const normal = 1.960

// spread moves the means of runs away from each other, in logarithms, so that the interval of
// a bootstrap of few runs becomes as wide as it must be. Drawing n runs from n with
// replacement has a variance that is too small by the factor (n-1)/n, and tails of a normal
// distribution instead of Student's.
func spread(runs [][]float64) [][]float64 {
	n := len(runs)
	if n == 1 {
		return runs
	}
	quantile := normal + (normal*normal*normal+normal)/4/float64(n-1) // for many degrees of freedom
	if n-1 <= len(students) {
		quantile = students[n-2]
	}
	factor := math.Sqrt(float64(n)/float64(n-1)) * quantile / normal
	centre := 0.0
	for _, run := range runs {
		centre += math.Log(mean([][]float64{run})) / float64(n)
	}
	moved := make([][]float64, n)
	for i, run := range runs {
		deviation := math.Log(mean([][]float64{run})) - centre
		scale := math.Exp(deviation * (factor - 1))
		for _, x := range run {
			moved[i] = append(moved[i], x*scale)
		}
	}
	return moved
}

// interval returns the bounds between which the middle 95 % of the ratios of rates of b and a
// lie, when runs and keys are drawn again with replacement (percentile bootstrap; Efron,
// Tibshirani: An Introduction to the Bootstrap, 1993, chapter 13). a and b hold the seconds
// per edge by run and key. Runs are drawn on each side by itself. Keys are drawn once for
// both sides, because searches from one key are alike in all runs. The same values give the
// same interval.
func interval(a, b [][]float64) (low, high float64) {
	a, b = spread(a), spread(b)
	random := rand.New(rand.NewPCG(1, 2))
	keys := make([]int, len(a[0]))
	ratios := make([]float64, resamples)
	for i := range ratios {
		for k := range keys {
			keys[k] = random.IntN(len(keys))
		}
		ratios[i] = drawn(a, keys, random) / drawn(b, keys, random)
	}
	slices.Sort(ratios)
	tail := int((1 - confidence) / 2 * resamples)
	return ratios[tail], ratios[resamples-1-tail]
}

// drawn returns the mean over the keys of as many runs as there are, drawn with replacement.
func drawn(runs [][]float64, keys []int, random *rand.Rand) (sum float64) {
	for range runs {
		run := runs[random.IntN(len(runs))]
		for _, k := range keys {
			sum += run[k]
		}
	}
	return sum / float64(len(runs)*len(keys))
}

// mean returns the mean of all values.
func mean(rows [][]float64) (sum float64) {
	n := 0
	for _, row := range rows {
		for _, x := range row {
			sum += x
		}
		n += len(row)
	}
	return sum / float64(n)
}
