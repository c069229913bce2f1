//go:build cuda

package techniques

import "graph500/device"

// counterLevels is the number of levels whose counters are cleared together.
const counterLevels = 1024

// counters provides one zero counter per level for its kernels. Clearing each counter
// separately would cost as much as a launch per level.
type counters[T any] struct {
	array device.Array[T]
	next  int
}

// declare declares the memory of the counters.
func (c *counters[T]) declare() device.Declared {
	return device.Of(&c.array, "counters of levels", counterLevels)
}

// rewind starts a new search.
func (c *counters[T]) rewind() { c.next = 0 }

// take returns the device address of the next level's counter, which is zero.
func (c *counters[T]) take() (uint64, error) {
	at := c.next % counterLevels
	if at == 0 {
		if err := c.array.Fill(0); err != nil {
			return 0, err
		}
	}
	c.next++
	return c.array.AddressOf(at, 1)
}

// read returns the value of the last counter taken, after all work launched so far.
func (c *counters[T]) read() (T, error) {
	var value [1]T
	err := c.array.Read((c.next-1)%counterLevels, value[:])
	return value[0], err
}
