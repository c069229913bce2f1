//go:build cuda

package construct

import (
	"errors"
	"fmt"

	"graph500/device"
)

// Holds reports whether a graph of this form can have so many rows on one device.
func (f Form) Holds(rows uint64) bool { return !f.numbered() || f.numbersOf(rows) <= mostNumbers }

// numbers returns the number of numbers of the rows of all devices, of which each has as many.
func (c *construction) numbers() (uint64, error) {
	if !c.form.numbered() || c.sizes.connected == 0 {
		return c.sizes.rows, nil
	}
	var most uint64
	for _, r := range c.ranges {
		first, end := r.ofTiles()
		before, errBefore := c.rowsBeforeTile(first)
		after, errAfter := c.rowsBeforeTile(end)
		if err := errors.Join(errBefore, errAfter); err != nil {
			return 0, err
		}
		most = max(most, after-before)
	}
	if !c.form.Holds(most) {
		return 0, fmt.Errorf("graph: %d rows on one of %d devices, which hold at most %d each", most, c.form.Devices, mostNumbers/c.form.Devices)
	}
	return c.form.numbersOf(most), nil
}

// ownNumbers returns the number of numbers of each device.
func (c *construction) ownNumbers() uint64 { return c.sizes.numbers / uint64(c.form.Devices) }

// runPart launches a kernel for numbered rows with a thread for each of count elements; none
// is no work.
func (c *construction) runPart(kernel string, count uint64, args ...uint64) error {
	if count == 0 {
		return nil
	}
	return c.launch.run("weightedparts", kernel, tilesOf(count, rowThreads), rowThreads, args...)
}

// copyNumbers copies the numbers of the rows of the other devices, of all of which ranks are
// the arrays.
func (c *construction) copyNumbers(ranks []device.Array[uint32]) error {
	for k := range c.others() {
		r := c.ranges[k]
		if err := c.runPart("construct_part_copy", r.End-r.First, ranks[k].Address(), r.First, r.End, c.rank.Address(), c.g.ByWeight.Labels.Address()); err != nil {
			return err
		}
	}
	return nil
}

// pad writes rows without arcs for the numbers of the device that are not used.
func (c *construction) pad() error {
	if !c.form.numbered() {
		return nil
	}
	rows, all := c.sizes.rows, c.ownNumbers()
	return c.runPart("construct_part_pad", all-rows, c.g.ByWeight.Rows.Address(), rows, all, uint64(c.form.Devices), uint64(c.number))
}

// copyRows copies the rows of the other devices, of all of which rows are the arrays.
func (c *construction) copyRows(rows []device.Array[WeightedRow]) error {
	var errs []error
	for k := range c.others() {
		errs = append(errs, c.runPart("construct_part_rows", 2*c.ownNumbers(), rows[k].Address(), c.ownNumbers(), uint64(c.form.Devices), uint64(k), c.g.ByWeight.Rows.Address()))
	}
	return errors.Join(errs...)
}
