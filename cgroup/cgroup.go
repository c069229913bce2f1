// Package cgroup finds the control groups (cgroups, versions 1 and 2) of this process and reads
// their files. It does not know what the files mean.
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
	Name    string // path in the mounted hierarchy
	Dir     string // directory of its files, relative to the file system root
	Version int    // 1 or 2
}

// hierarchy is a mounted tree of groups.
type hierarchy struct {
	root  string // the group that is mounted
	mount string // mount point
}

// Of returns the groups of this process under a controller, such as "memory",
// and their mounted parents. The controller's files may be missing in a group of
// version 2. root is the file system of the machine. A system without cgroups is
// not an error.
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

// hierarchies returns the mounted hierarchies of a controller, nil if a version
// is not mounted.
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

// upFrom lists the named group and its parents up to the mount point.
func (h *hierarchy) upFrom(group string, version int) (groups []Group) {
	// A container without its own cgroup namespace uses the host's group names
	// but mounts only its part of the hierarchy.
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

// Words returns the words of a file of the group, nil if the file does not exist.
func (g Group) Words(root fs.FS, file string) ([]string, error) {
	data, err := fs.ReadFile(root, path.Join(g.Dir, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return strings.Fields(string(data)), err
}

// Amount returns the number in a file of the group, nil if the file does not
// exist or holds "max".
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
