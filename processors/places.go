package processors

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// cpuDir is the directory of the processors in sysfs.
const cpuDir = "sys/devices/system/cpu"

// Place is the position of a processor in the machine.
type Place struct {
	Socket int // physical package
	Cache  int // smallest number of the processors that share the last-level cache; -1 if the system does not tell
}

// Places returns the places of those of the given processors that are online, in
// their order. root is the file system of the machine. It is an error if the system
// does not tell the socket of a processor.
func Places(root fs.FS, allowed []int) ([]Place, error) {
	online, err := onlineOf(root, allowed)
	if err != nil {
		return nil, err
	}
	var places []Place
	for _, number := range online {
		dir := fmt.Sprintf("%s/cpu%d", cpuDir, number)
		var p Place
		if p.Socket, err = readNumber(root, path.Join(dir, "topology/physical_package_id")); err != nil {
			return nil, err
		}
		if p.Cache, err = lastCache(root, path.Join(dir, "cache")); err != nil {
			return nil, err
		}
		places = append(places, p)
	}
	return places, nil
}

// onlineOf returns the online ones of the given processors. An affinity mask can
// contain others. A kernel that cannot switch processors off has no list.
func onlineOf(root fs.FS, allowed []int) ([]int, error) {
	const file = cpuDir + "/online"
	text, err := fs.ReadFile(root, file)
	if errors.Is(err, fs.ErrNotExist) {
		return allowed, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := Parse(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var online []int
	for _, number := range allowed {
		if slices.Contains(list, number) {
			online = append(online, number)
		}
	}
	return online, nil
}

// lastCache returns the smallest number of the processors that share the cache of
// the highest level in a directory, -1 if there is none. Virtual machines often hide
// their caches.
func lastCache(root fs.FS, dir string) (first int, err error) {
	entries, err := fs.ReadDir(root, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return -1, nil
	}
	if err != nil {
		return 0, err
	}
	first, highest := -1, 0
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), "index") {
			continue
		}
		cache := path.Join(dir, entry.Name())
		level, err := readNumber(root, path.Join(cache, "level"))
		if err != nil {
			return 0, err
		}
		if level <= highest {
			continue
		}
		file := path.Join(cache, "shared_cpu_list")
		text, err := fs.ReadFile(root, file)
		if err != nil {
			return 0, err
		}
		sharing, err := Parse(strings.TrimSpace(string(text)))
		if err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
		highest, first = level, slices.Min(sharing)
	}
	return first, nil
}

// readNumber reads a file that holds one number.
func readNumber(root fs.FS, file string) (int, error) {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	return n, nil
}
