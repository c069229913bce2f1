package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// make install needs no root, writes below DESTDIR, and the installed job scripts run the
// installed program.
func TestInstall(t *testing.T) {
	repository := newRepository(t)
	for _, name := range []string{"Makefile", "scripts/install.sh", "scripts/uninstall.sh", "THIRD_PARTY.md", "packaging/modulefile"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(repository, name), string(text), 0o755)
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip(err)
	}
	environment := []string{"GRAPH500_CUDA=no"}
	prefix, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	destination := filepath.Join(t.TempDir(), "a package")
	for _, destdir := range []string{"", destination} {
		if _, errs, status := run(t, command(repository, "make", environment, "install", "DESTDIR="+destdir, "PREFIX="+prefix)); status != 0 {
			t.Fatal(errs)
		}
		script := prefix + "/share/graph500/run.sh"
		for _, file := range []struct {
			name string
			mode os.FileMode
			want string
		}{
			{"bin/graph500", 0o755, ""},
			{"bin/graph500_reference_bfs", 0o755, ""},
			{"bin/graph500_reference_bfs_sssp", 0o755, ""},
			{"share/man/man1/graph500.1", 0o644, `program ["manual"]`},
			{"share/bash-completion/completions/graph500", 0o644, `program ["completion" "bash"]`},
			{"share/zsh/site-functions/_graph500", 0o644, `program ["completion" "zsh"]`},
			{"share/fish/vendor_completions.d/graph500.fish", 0o644, `program ["completion" "fish"]`},
			{"share/doc/graph500/THIRD_PARTY.md", 0o644, "# Third-party software"},
			{"share/modulefiles/graph500", 0o644, "prepend-path PATH " + prefix + "/bin\n"},
			{"share/graph500/run.sh", 0o755, ""},
			{"share/graph500/slurm.sbatch", 0o755, "\nexec " + script + ` "$@"`},
			{"share/graph500/pbs.sh", 0o755, "\nexec " + script + ` "$@"`},
			{"share/graph500/flux.sh", 0o755, "\nexec " + script + ` "$@"`},
			{"share/graph500/lsf.sh", 0o755, "<" + prefix + "/share/graph500/lsf.sh\n"},
		} {
			path := filepath.Join(destdir+prefix, file.name)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), file.want) {
				t.Errorf("%s without %s", path, file.want)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != file.mode {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
	}

	elsewhere := t.TempDir()
	out, errs, status := run(t, command(elsewhere, filepath.Join(prefix, "share/graph500/run.sh"), []string{"SCALE=21"}, "-out=results"))
	if status != 0 || out != "program [\"-scale=21\" \"-out=results\"]\n" {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	log, err := os.ReadFile(filepath.Join(elsewhere, "results", "run.log"))
	if err != nil || field(string(log), "commit") == "not built" {
		t.Errorf("%v\n%s", err, log)
	}
	out, errs, status = run(t, command(elsewhere, filepath.Join(prefix, "share/graph500/pbs.sh"), []string{"PBS_JOBID=7", "PBS_O_WORKDIR=" + elsewhere}))
	if status != 0 || out != "program [\"-scale=24\" \"-out=results/7\"]\n" {
		t.Errorf("status %d, %s%s", status, out, errs)
	}

	// A link to the script, and copies of it in the spool directory of a scheduler.
	link := filepath.Join(t.TempDir(), "bench")
	if err := os.Symlink(filepath.Join(prefix, "share/graph500/run.sh"), link); err != nil {
		t.Fatal(err)
	}
	spooled := filepath.Join(t.TempDir(), "slurm_script")
	text, err := os.ReadFile("../run.sh")
	if err != nil {
		t.Fatal(err)
	}
	write(t, spooled, string(text), 0o755)
	scontrol := tools(t, map[string]string{"scontrol": "echo '   Command=" + prefix + "/share/graph500/run.sh -scale=5'"})
	for _, c := range []struct {
		script      string
		environment []string
	}{
		{link, nil},
		{spooled, []string{"SLURM_JOB_ID=7", "PATH=" + scontrol + ":" + os.Getenv("PATH")}},
		{spooled, []string{"PATH=" + prefix + "/bin:" + os.Getenv("PATH")}},
	} {
		out, errs, status := run(t, command(elsewhere, c.script, c.environment, "-scale=5"))
		if status != 0 || out != "program [\"-scale=5\"]\n" {
			t.Errorf("%s %q: status %d, %s%s", c.script, c.environment, status, out, errs)
		}
	}
	out, errs, status = run(t, command(elsewhere, spooled, nil, "-scale=5"))
	if status != 1 || !strings.HasPrefix(errs, "run.sh: cannot find the graph500 repository, nor the installed program: ") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}

	// Files of others stay.
	write(t, filepath.Join(prefix, "bin/other"), "", 0o755)
	for range 2 {
		if _, errs, status := run(t, command(repository, "make", environment, "uninstall", "PREFIX="+prefix)); status != 0 {
			t.Fatal(errs)
		}
	}
	var left []string
	if err := filepath.WalkDir(prefix, func(path string, entry os.DirEntry, err error) error {
		if err == nil && (!entry.IsDir() || filepath.Base(path) == "graph500") {
			left = append(left, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{filepath.Join(prefix, "bin/other")}; !slices.Equal(left, want) {
		t.Errorf("left: %q", left)
	}
}

func TestInstallRefuses(t *testing.T) {
	repository := newRepository(t)
	text, err := os.ReadFile("install.sh")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(repository, "scripts/install.sh"), string(text), 0o755)
	for prefix, want := range map[string]string{
		"here":      "install: PREFIX=here is not an absolute path",
		"/opt/a b":  "install: PREFIX=/opt/a b is not an absolute path of letters",
		"/opt/tool": "install: there is no build/graph500: make build builds it",
	} {
		if _, errs, status := run(t, command(repository, "scripts/install.sh", nil, t.TempDir(), prefix)); status != 1 || !strings.HasPrefix(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: status %d, %s", prefix, status, errs)
		}
	}
}

// The installed file for environment modules sets PATH and MANPATH, and takes back what it
// has set.
func TestModulefile(t *testing.T) {
	const shell = `show() { printf '%s|%s\n' "$PATH" "${MANPATH-unset}"; }
show
eval "$(modulecmd bash load graph500)"
show
eval "$(modulecmd bash unload graph500)"
show
`
	if _, err := exec.LookPath("modulecmd"); err != nil {
		t.Skip(err)
	}
	text, err := os.ReadFile("../packaging/modulefile")
	if err != nil {
		t.Fatal(err)
	}
	modules := t.TempDir()
	write(t, filepath.Join(modules, "graph500"), strings.ReplaceAll(string(text), "@PREFIX@", "/opt/g5"), 0o644)
	path := os.Getenv("PATH")
	for _, test := range []struct{ manpath, loaded string }{
		{"unset", "/opt/g5/share/man:"},
		{"/usr/man", "/opt/g5/share/man:/usr/man:"},
	} {
		cmd := exec.Command("bash", "-c", shell)
		cmd.Env = []string{"PATH=" + path, "MODULEPATH=" + modules}
		if test.manpath != "unset" {
			cmd.Env = append(cmd.Env, "MANPATH="+test.manpath)
		}
		out, errs, status := run(t, cmd)
		lines := strings.Split(out, "\n")
		if status != 0 || len(lines) != 4 {
			t.Fatalf("status %d, %s%s", status, out, errs)
		}
		if lines[1] != "/opt/g5/bin:"+path+"|"+test.loaded {
			t.Errorf("loaded: %s", lines[1])
		}
		if before := path + "|" + test.manpath; lines[0] != before || lines[2] != before {
			t.Errorf("%s, after unload %s", before, lines[2])
		}
	}
}
