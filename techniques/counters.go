//go:build cuda

package techniques

import "graph500/device"

// counterLevels is the number of levels whose counters are cleared at once.
const counterLevels = 1024

// counters are what the kernels of a level count in, zero before it. Clearing
// them each for itself would cost every level as much as a launch.
type counters[T any] struct {
	array device.Array[T]
	next  int
}

// declare declares their memory.
func (c *counters[T]) declare() device.Declared {
	return device.Of(&c.array, "counters of levels", counterLevels)
}

// rewind begins a search.
func (c *counters[T]) rewind() { c.next = 0 }

// take returns the address of the next level's counter, which is zero.
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

// read returns what was counted in the counter taken last.
func (c *counters[T]) read() (T, error) {
	var value [1]T
	err := c.array.Read((c.next-1)%counterLevels, value[:])
	return value[0], err
}
