//go:build cuda

package device

import "sync"

// MostTogether is the largest number of devices that work together. Kernels get an array
// of each of them as parameters.
const MostTogether = 16

// Together calls do for the numbers of all devices: concurrently for different devices,
// and in the order of the numbers for those that are the same device. It returns the
// error of the smallest number that has one. A number whose device had an error before is
// left out.
func Together(devices []*Device, do func(k int) error) error {
	errs := make([]error, len(devices))
	numbers := make(map[*Device][]int)
	for k, d := range devices {
		numbers[d] = append(numbers[d], k)
	}
	var all sync.WaitGroup
	for _, of := range numbers {
		all.Go(func() {
			for _, k := range of {
				if errs[k] = do(k); errs[k] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
