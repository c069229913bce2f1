package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxLinks is the largest number of symbolic links in one path, as on Linux.
const maxLinks = 40

// Target returns the path of the file that a write to path creates or replaces.
// It resolves symbolic links; the links themselves are not replaced. It returns
// an error, which begins with the path, for a directory, device, pipe, socket,
// file of the system such as /proc, or a loop of links.
func Target(path string) (string, error) {
	target, err := follow(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if path == "" || strings.HasSuffix(path, "/") || strings.HasSuffix(path, "/.") {
		return "", fmt.Errorf("%s: names a directory, not a file", path)
	}
	is := "is"
	if target != filepath.Clean(path) {
		is = "leads to " + target + ", which is"
	}
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", fmt.Errorf("%s: cannot be created: %w", path, Cause(err))
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s: %s %s and will not be replaced", path, is, kind(info.Mode()))
	}
	if inSystem(filepath.Dir(target)) {
		return "", fmt.Errorf("%s: %s a file of the system and will not be replaced", path, is)
	}
	return target, nil
}

// kind describes a file that is not a regular file.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "not a regular file"
}

// inSystem reports whether a directory, with links resolved, belongs to a file
// system of the kernel, such as /proc. Links there lead to open files of
// processes, such as standard output.
func inSystem(dir string) bool {
	full, err := filepath.Abs(dir)
	return err == nil && slices.ContainsFunc([]string{"/proc", "/sys", "/dev/fd"}, func(system string) bool {
		return full == system || strings.HasPrefix(full, system+"/")
	})
}

// follow returns path with all symbolic links resolved. The file need not exist.
func follow(path string) (string, error) {
	links := 0
	return followCounted(path, &links)
}

// followCounted is follow, with a count of the links resolved so far.
func followCounted(path string, links *int) (string, error) {
	if path == "" {
		return "", nil
	}
	dir, name := filepath.Split(strings.TrimRight(path, "/"))
	if name == "" {
		return "/", nil
	}
	if dir == "" {
		dir = "."
	} else {
		var err error
		if dir, err = followCounted(dir, links); err != nil {
			return "", err
		}
	}
	path = filepath.Join(dir, name) // removing . and .. is correct, because dir has no links
	if name == "." || name == ".." {
		return path, nil
	}
	link, err := os.Readlink(path)
	if err != nil {
		return path, nil // not a link: a file, or missing
	}
	if inSystem(dir) {
		return "", fmt.Errorf("leads to %s, which is a file of the system and will not be replaced", path)
	}
	if *links++; *links > maxLinks {
		return "", fmt.Errorf("the symbolic links form a loop, or are more than %d", maxLinks)
	}
	if !filepath.IsAbs(link) {
		link = dir + "/" + link
	}
	return followCounted(link, links)
}

// Same reports whether two paths name the same file, which need not exist.
func Same(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	if errA == nil || errB == nil {
		return false
	}
	fullA, errA := absolute(a)
	fullB, errB := absolute(b)
	if errA != nil || errB != nil {
		return false
	}
	dirA, dirB := filepath.Dir(fullA), filepath.Dir(fullB)
	if fullA == fullB || filepath.Base(fullA) != filepath.Base(fullB) || dirA == fullA || dirB == fullB {
		return fullA == fullB
	}
	return Same(dirA, dirB)
}

// absolute returns the absolute path with all symbolic links resolved.
func absolute(path string) (string, error) {
	target, err := follow(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(target)
}

// MakeDir creates a directory and its missing parents, and follows symbolic
// links. The error does not contain the path.
func MakeDir(path string) error {
	target, err := follow(path)
	if err != nil {
		return err
	}
	return Cause(os.MkdirAll(target, 0o777))
}

// Check returns an error, which begins with the path, if a file with this path
// cannot be created or replaced.
func Check(path string) error {
	target, err := Target(path)
	if err != nil {
		return err
	}
	// A write-protected file is not replaced, even if the permissions of the
	// directory would allow it.
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err == nil {
		err = f.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: cannot be replaced: %w", path, Cause(err))
	}
	dir := filepath.Dir(target)
	if err := Probe(dir, 0); err != nil {
		return fmt.Errorf("%s: cannot create a file in %s: %w", path, dir, err)
	}
	return nil
}

// Probe creates a file of the given number of bytes in dir and removes it. The
// error does not contain dir.
func Probe(dir string, bytes int) error {
	f, err := os.CreateTemp(dir, ".graph500-*")
	if err != nil {
		return Cause(err)
	}
	_, err = f.Write(make([]byte, bytes))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if removeErr := os.Remove(f.Name()); err == nil {
		err = removeErr
	}
	return Cause(err)
}
