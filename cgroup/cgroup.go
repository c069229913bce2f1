// Package cgroup finds the control groups of this process and reads their files,
// of version 2 and 1. It knows nothing of what they limit.
package cgroup

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Group is a control group that this process belongs to.
type Group struct {
	Name    string // in the tree that is mounted
	Dir     string // of its files
	Version int    // 1 or 2
}

// hierarchy is a mounted tree of groups.
type hierarchy struct {
	root  string // the group that is mounted
	mount string // where
}

// Of returns the process's groups under a controller, such as memory, and all
// groups above them as far as they are mounted. A group of version 2 may lack
// the controller's files. root is the file system of the machine. Where there
// are no groups, there is no error.
func Of(root fs.FS, controller string) ([]Group, error) {
	membership, err := fs.ReadFile(root, "proc/self/cgroup")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // a kernel without control groups
	}
	if err != nil {
		return nil, err
	}
	v1, v2, err := hierarchies(root, controller)
	if err != nil {
		return nil, err
	}
	var groups []Group
	for line := range strings.Lines(string(membership)) {
		part := strings.SplitN(strings.TrimRight(line, "\n"), ":", 3)
		if len(part) != 3 {
			return nil, fmt.Errorf("proc/self/cgroup: unexpected line %q", line)
		}
		switch {
		case part[1] == "" && v2 != nil:
			groups = append(groups, v2.upFrom(part[2], 2)...)
		case hasWord(part[1], controller) && v1 != nil:
			groups = append(groups, v1.upFrom(part[2], 1)...)
		}
	}
	return groups, nil
}

// hierarchies finds the mounted trees of a controller, nil where there is none.
func hierarchies(root fs.FS, controller string) (v1, v2 *hierarchy, err error) {
	f, err := root.Open("proc/self/mountinfo")
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20) // overlay mounts have long lines
	for s.Scan() {
		// ID PARENT DEVICE ROOT MOUNT OPTIONS [TAG...] - TYPE SOURCE SUPER, see proc_pid_mountinfo(5).
		before, after, ok := strings.Cut(s.Text(), " - ")
		b, a := strings.Fields(before), strings.Fields(after)
		if !ok || len(b) < 6 || len(a) < 3 {
			continue
		}
		mounted := &hierarchy{unescape.Replace(b[3]), unescape.Replace(b[4])}
		switch {
		case a[0] == "cgroup2" && v2 == nil:
			v2 = mounted
		case a[0] == "cgroup" && v1 == nil && hasWord(a[2], controller):
			v1 = mounted
		}
	}
	return v1, v2, s.Err()
}

// upFrom lists the groups from the named one up to the mounted one.
func (h *hierarchy) upFrom(group string, version int) (groups []Group) {
	// A container without a namespace of its own names the group as the host
	// does, and mounts only that part of the tree.
	below, ok := strings.CutPrefix(path.Clean("/"+group), strings.TrimRight(h.root, "/"))
	if !ok {
		below = "/"
	}
	for name := path.Clean("/" + below); ; name = path.Dir(name) {
		groups = append(groups, Group{name, strings.TrimPrefix(path.Join(h.mount, name), "/"), version})
		if name == "/" {
			return groups
		}
	}
}

// Words reads the words of a group's file, nil if there is no such file.
func (g Group) Words(root fs.FS, file string) ([]string, error) {
	data, err := fs.ReadFile(root, path.Join(g.Dir, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return strings.Fields(string(data)), err
}

// Amount reads a group's file that holds one number, nil if there is no such
// file or it says "max".
func (g Group) Amount(root fs.FS, file string) (*uint64, error) {
	data, err := fs.ReadFile(root, path.Join(g.Dir, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text := string(bytes.TrimSpace(data))
	if text == "max" {
		return nil, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path.Join(g.Dir, file), err)
	}
	return &n, nil
}

func hasWord(list, word string) bool { return slices.Contains(strings.Split(list, ","), word) }
