package commandline

import (
	"fmt"
	"strconv"
)

// AllGPUs is the value of -gpus=all.
const AllGPUs gpuCount = 0

// gpuCount is a flag value: a number of GPUs, or all.
type gpuCount int

// UnmarshalFlag parses the value of a flag.
func (n *gpuCount) UnmarshalFlag(value string) error {
	if value == "all" {
		*n = AllGPUs
		return nil
	}
	count, err := strconv.Atoi(value)
	if err != nil || count < 1 {
		return fmt.Errorf("%q is no number of GPUs, nor all", value)
	}
	*n = gpuCount(count)
	return nil
}

func (n gpuCount) String() string {
	if n == AllGPUs {
		return "all"
	}
	return strconv.Itoa(int(n))
}

// orAll is the range of the values of -gpus.
type orAll struct{ interval[gpuCount] }

func (r orAll) contains(value any) bool {
	return value.(gpuCount) == AllGPUs || r.interval.contains(value)
}
