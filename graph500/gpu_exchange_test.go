//go:build cuda

package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"graph500/cluster/mpitest"
	"graph500/engine"
	"graph500/graph500/programtest"
	"graph500/report"
)

// onHosts makes the ranks of a command, with that many GPUs each, those of hosts with two GPUs.
func onHosts(c *exec.Cmd, each int) *exec.Cmd {
	at := slices.Index(c.Args, program)
	script := fmt.Sprintf(`host=$((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} * %d / 2)); `, each) +
		`NCCL_HOSTID=host$host CUDA_VISIBLE_DEVICES=$((2 * host)),$((2 * host + 1)) exec "$0" "$@"`
	c.Args = slices.Concat(c.Args[:at], []string{"sh", "-c", script}, c.Args[at:])
	return c
}

// exchangeOf returns the exchange of a run that succeeded, and its warning of NCCL.
func exchangeOf(t *testing.T, r programtest.Result) (exchange engine.Exchange, warning string) {
	t.Helper()
	var document struct {
		Engine   report.Engine
		Warnings []string
	}
	if err := json.Unmarshal([]byte(r.Stdout), &document); err != nil || r.Status != 0 {
		t.Fatalf("status %d, %v: %s", r.Status, err, r.Stderr)
	}
	if (document.Engine.NCCL != "") != (document.Engine.Exchange == engine.NCCLExchange) {
		t.Errorf("%+v", document.Engine)
	}
	for _, text := range document.Warnings {
		if strings.Contains(text, "NCCL") {
			warning += text
		}
	}
	return document.Engine.Exchange, warning
}

// Without access to each other's memory, GPUs find another exchange by themselves. The
// emulation has a setting for such GPUs.
func TestExchangeWithoutPeerAccess(t *testing.T) {
	l := mpitest.Libraries(t)[0]
	for _, ranks := range []int{1, 2} {
		c := gpuRanks(t, l, 2, ranks, "-scale=11", "-engine=gpu", "-roots=1", "-format=json", fmt.Sprintf("-gpus=%d", 2/ranks))
		c.Env = append(c.Env, "EMULATION_NO_PEER=1")
		r := finish(t, c)
		if !strings.Contains(r.Stderr, "emulated GPU") {
			t.Skip("GPUs with peer access")
		}
		if exchange, warning := exchangeOf(t, r); exchange != engine.NCCLExchange || warning != "" {
			t.Errorf("%d ranks: %s, %s", ranks, exchange, warning)
		}
	}
}

// Without a NCCL that works, the GPUs exchange data through the hosts, and the run says why
// once; NCCL by name fails.
func TestExchangeFallsBack(t *testing.T) {
	l := mpitest.Libraries(t)[0]
	for _, c := range []struct{ variable, why string }{
		{"GRAPH500_NCCL=/no/such/library", "no NCCL: /no/such/library: cannot open shared object file: No such file or directory"},
		{"EMULATION_NCCL_FAIL=1", "ncclGroupEnd: unhandled system error (2)"}, // when the GPUs join
		{"EMULATION_NCCL_FAIL=3", "ncclGroupEnd: "},                           // in the first exchanges, on a rank or on another one
	} {
		run := func(args ...string) programtest.Result {
			command := onHosts(gpuRanks(t, l, 3, 3, append(args, "-engine=gpu", "-scale=12", "-roots=1", "-format=json")...), 1)
			command.Env = append(command.Env, c.variable)
			return finish(t, command)
		}
		r := run()
		if !strings.Contains(r.Stderr, "emulated GPU") && strings.HasPrefix(c.variable, "EMULATION") {
			t.Skip("no emulated NCCL")
		}
		want := "the GPUs exchange data through the memory of the hosts, not by NCCL: "
		if exchange, warning := exchangeOf(t, r); exchange != engine.HostExchange || !strings.HasPrefix(warning, want) || !strings.Contains(warning, c.why) || strings.Count(r.Stderr, want) != 1 {
			t.Errorf("%s: exchange %s, %s, %s", c.variable, exchange, warning, r.Stderr)
		}
		r = run("-exchange=nccl")
		if lines := ownLines(r.Stderr); r.Status != 1 || len(lines) != 1 || !strings.Contains(lines[0], c.why) {
			t.Errorf("%s: status %d, %q", c.variable, r.Status, lines)
		}
	}
}

// An error of NCCL during the run ends all ranks with one line.
func TestExchangeFails(t *testing.T) {
	c := onHosts(gpuRanks(t, mpitest.Libraries(t)[0], 3, 3, "-engine=gpu", "-exchange=nccl", "-scale=12", "-roots=4"), 1)
	c.Env = append(c.Env, "EMULATION_NCCL_FAIL=9")
	r := finish(t, c)
	if !strings.Contains(r.Stderr, "emulated GPU") {
		t.Skip("no emulated NCCL")
	}
	if r.Status != 1 || strings.Count(r.Stderr, "ncclGroupEnd: ") != 1 || r.Stdout != "" {
		t.Errorf("status %d, %s%s", r.Status, r.Stderr, r.Stdout)
	}
}

// Data that NCCL loses during the run is noticed before anything is made of it: in a level or a
// round, in the exchange of results, and in validation.
func TestExchangeLoses(t *testing.T) {
	t.Run("bfs", func(t *testing.T) { loseGroups(t, "bfs", 11) })
	t.Run("sssp", func(t *testing.T) { loseGroups(t, "sssp", 41) })
}

// loseGroups loses one group of messages in each run, until a run has fewer.
func loseGroups(t *testing.T, kernel string, step int) {
	t.Helper()
	groups := 0
	for lost := 2; ; lost += step {
		c := gpuRanks(t, mpitest.Libraries(t)[0], 2, 1, "-engine=gpu", "-exchange=nccl", "-scale=11", "-roots=2", "-gpus=2", "-kernel="+kernel)
		c.Env = append(c.Env, fmt.Sprintf("EMULATION_NCCL_LOSE=%d", lost))
		r := finish(t, c)
		if !strings.Contains(r.Stderr, "emulated GPU") {
			t.Skip("no emulated NCCL")
		}
		if r.Status == 0 {
			groups = lost
			break
		}
		if r.Status != 1 || strings.Count(r.Stderr, ": NCCL: remote process exited") != 1 || r.Stdout != "" {
			t.Errorf("group %d: status %d, %s%s", lost, r.Status, r.Stderr, r.Stdout)
		}
	}
	if groups < 10 {
		t.Errorf("the run has less than %d exchanges", groups)
	}
}

// What does not run without access is refused in one line.
func TestExchangeRefuses(t *testing.T) {
	l := mpitest.Libraries(t)[0]
	for _, c := range []struct {
		ranks      int
		args, want string
		status     int
	}{
		{2, "-exchange=peer -scale=12", "flag -exchange=peer: not all GPUs access each other's memory: GPU 0 (emulated GPU) cannot access the memory of GPU 1 (emulated GPU)", 1},
		{2, "-residency=prefix -scale=12", "flag -residency=prefix: GPUs that do not access each other's memory need all neighbours in their own: GPU 0 (emulated GPU) cannot access the memory of GPU 1 (emulated GPU)", 1},
		{1, "-exchange=host -engine=gpu -scale=12", "flag -exchange=host: one GPU has no other to exchange data with; give -gpus, or start ranks", 2},
	} {
		command := gpuRanks(t, l, 2, c.ranks, append(strings.Fields(c.args), "-engine=gpu", "-roots=1")...)
		command.Env = append(command.Env, "EMULATION_NO_PEER=1")
		r := finish(t, command)
		if !strings.Contains(r.Stderr, "emulated GPU") && c.ranks > 1 {
			t.Skip("GPUs with peer access")
		}
		if lines := ownLines(r.Stderr); r.Status != c.status || len(lines) != 1 || !strings.HasSuffix(lines[0], c.want) || r.Stdout != "" {
			t.Errorf("%s: status %d, %q %s", c.args, r.Status, lines, r.Stdout)
		}
	}
}

// A rank that dies or stops answering during a search ends the run within ten seconds,
// without a result.
func TestExchangeFaults(t *testing.T) {
	library := libraryInTurn(t)
	for _, c := range []struct {
		exchange, kernel string
		signal           syscall.Signal
	}{{"host", "bfs", syscall.SIGKILL}, {"nccl", "sssp", syscall.SIGKILL}, {"nccl", "bfs", syscall.SIGSTOP}} {
		l := library()
		t.Run(fmt.Sprintf("%s, %s, %s, %v", c.exchange, c.kernel, l.Name, c.signal), func(t *testing.T) {
			command := onHosts(gpuRanks(t, l, 3, 3, "-engine=gpu", "-exchange="+c.exchange, "-kernel="+c.kernel, "-scale=13", "-roots=1000", "-v", "-skip-validation"), 1)
			r, took := signalRank(t, command, 2, "searches", c.signal)
			if strings.Contains(r.Stdout, "SCALE:") || took > 10*time.Second || r.Status == 0 {
				t.Errorf("status %d, took %v: %s", r.Status, took, r.Stdout)
			}
		})
	}
}
