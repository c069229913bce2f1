package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Official writes the result block of the Graph500 v3 reference with its spelling,
// order, columns and number formats, because job frameworks parse it. The lines of a
// kernel that did not run are missing; the only nedge lines are those of the last
// kernel. Without validation the validate lines contain -1, as in the reference. The
// edge factor is rounded to an integer, the only form that the reference has.
func Official(w io.Writer, r *Run) error {
	if err := r.check(); err != nil {
		return err
	}
	last := &r.Kernels[len(r.Kernels)-1]
	var b block
	b.integer("SCALE:", r.Input.Scale)
	b.integer("edgefactor:", int(math.Round(r.Input.EdgeFactor)))
	b.integer("NBFS:", len(last.Searches))
	b.number("graph_generation:", r.Generation, 6)
	b.integer("num_mpi_processes:", r.Ranks())
	b.number("construction_time:", r.Construction, 6)
	for i := range r.Kernels {
		b.statistics(prefix(&r.Kernels[i]), "time", r.Kernels[i].times(), 6)
	}
	b.statistics("", "nedge", last.edges(), 11)
	for i := range r.Kernels {
		b.rates(&r.Kernels[i])
	}
	for i := range r.Kernels {
		b.validate(&r.Kernels[i])
	}
	_, err := w.Write(b.Bytes())
	return err
}

// block collects lines whose values start in column 33.
type block struct{ bytes.Buffer }

func (b *block) line(name, value string) { fmt.Fprintf(b, "%-32s%s\n", name, value) }

func (b *block) integer(name string, v int) { b.line(name, strconv.Itoa(v)) }

func (b *block) number(name string, v float64, digits int) { b.line(name, number(v, digits)) }

// prefix returns the beginning of the names of a kernel's lines.
func prefix(k *KernelRun) string { return fmt.Sprintf("%-5s", k.Kernel) }

func (b *block) statistics(kernel, quantity string, s Statistics, digits int) {
	b.number(kernel+"min_"+quantity+":", s.Min, digits)
	b.number(kernel+"firstquartile_"+quantity+":", s.FirstQuartile, digits)
	b.number(kernel+"median_"+quantity+":", s.Median, digits)
	b.number(kernel+"thirdquartile_"+quantity+":", s.ThirdQuartile, digits)
	b.number(kernel+"max_"+quantity+":", s.Max, digits)
	b.number(kernel+"mean_"+quantity+":", s.Mean, digits)
	b.number(kernel+"stddev_"+quantity+":", s.Deviation, digits)
}

func (b *block) rates(k *KernelRun) {
	kernel, r := prefix(k), k.Rates()
	b.number(kernel+"min_TEPS:", r.Min, 6)
	b.number(kernel+"firstquartile_TEPS:", r.FirstQuartile, 6)
	b.number(kernel+"median_TEPS:", r.Median, 6)
	b.number(kernel+"thirdquartile_TEPS:", r.ThirdQuartile, 6)
	b.number(kernel+"max_TEPS:", r.Max, 6)
	b.number(kernel+"harmonic_mean_TEPS:     !  ", r.HarmonicMean, 6)
	b.number(kernel+"harmonic_stddev_TEPS:", r.HarmonicDeviation, 6)
}

func (b *block) validate(k *KernelRun) {
	s := Statistics{-1, -1, -1, -1, -1, -1, 0}
	if k.Validated() {
		s = k.validations()
	}
	b.statistics(prefix(k), "validate", s, 6)
}

// number formats a finite v like C's printf with %.<digits>g. Go's 'g' with a given
// precision has the same rules: exponents below -4 and from digits upwards are written,
// with at least two digits, and trailing zeros are removed.
func number(v float64, digits int) string { return strconv.FormatFloat(v, 'g', digits, 64) }
