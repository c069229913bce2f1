package energy

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// powercap is the directory of the Linux power capping framework, whose zones hold the
// counters of RAPL (running average power limit) of Intel's and AMD's processors.
const powercap = "sys/class/powercap"

// PackageCounters returns a counter for each processor package of the host. root is the
// root file system of the machine. Every process of a host gets the same counters, so
// one of them alone may report them.
func PackageCounters(root fs.FS) ([]Counter, error) {
	zones, err := fs.Glob(root, powercap+"/*:*")
	if err != nil {
		return nil, err
	}
	// A package can have a second zone, in the control type intel-rapl-mmio.
	slices.SortStableFunc(zones, func(a, b string) int {
		return strings.Count(a, "-mmio:") - strings.Count(b, "-mmio:")
	})
	var counters []Counter
	for _, zone := range zones {
		name, err := readText(root, path.Join(zone, "name"))
		isKnown := slices.ContainsFunc(counters, func(c Counter) bool { return c.Name == name })
		if err != nil || !strings.HasPrefix(name, "package-") || isKnown { // others are parts of a package, or psys
			continue
		}
		c := Counter{Part: Packages, Name: name, Read: func() (uint64, error) { return readNumber(root, path.Join(zone, "energy_uj")) }}
		if c.Range, err = readNumber(root, path.Join(zone, "max_energy_range_uj")); err != nil {
			return nil, err
		}
		if _, err := c.Read(); errors.Is(err, fs.ErrPermission) {
			return nil, fmt.Errorf("/%s/energy_uj: %w (an administrator can allow it: chmod a+r)", zone, fs.ErrPermission)
		} else if err != nil {
			return nil, err
		}
		counters = append(counters, c)
	}
	if len(counters) == 0 {
		return nil, fmt.Errorf("there is no counter of a processor package in /%s, as in most virtual machines", powercap)
	}
	return counters, nil
}

func readText(root fs.FS, name string) (string, error) {
	text, err := fs.ReadFile(root, name)
	return strings.TrimSpace(string(text)), err
}

func readNumber(root fs.FS, name string) (uint64, error) {
	text, err := readText(root, name)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("/%s holds %q and no number", name, text)
	}
	return n, nil
}
