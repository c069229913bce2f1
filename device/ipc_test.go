//go:build cuda

package device

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"graph500/device/driver"
)

const exporterVariable = "DEVICE_TEST_EXPORTER"

// exporter is a process with an arena and host memory for others: it prints the handle and the place
// of five words in the arena, their number in host memory, the name of this memory, waits for a line, and prints
// both.
type exporter struct {
	handle driver.MemoryHandle
	offset uint64
	host   exportedHost
	in     io.WriteCloser
	out    *bufio.Scanner
}

// startExporter starts this test in another process, on the last GPU.
func startExporter(t *testing.T) *exporter {
	t.Helper()
	process := exec.Command(os.Args[0], "-test.run=^TestExporter$")
	process.Env = append(os.Environ(), exporterVariable+"=1")
	process.Stderr = os.Stderr
	in, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := process.StdoutPipe()
	if err == nil {
		err = process.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := process.Wait(); err != nil {
			t.Error(err)
		}
	})
	e := &exporter{in: in, out: bufio.NewScanner(out)}
	var handle []byte
	if _, err := fmt.Sscanf(e.line(t), "%x %d %d", &handle, &e.offset, &e.host.length); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(e.line(t)), &e.host.name); err != nil {
		t.Fatal(err)
	}
	copy(e.handle[:], handle)
	return e
}

func (e *exporter) line(t *testing.T) string {
	t.Helper()
	if !e.out.Scan() {
		t.Fatal("the exporter has ended")
	}
	return e.out.Text()
}

func exporterWords() []uint64 { return []uint64{1, 2, 3, 4, 5} }

func TestExporter(t *testing.T) {
	if os.Getenv(exporterVariable) == "" {
		t.Skip("part of TestMemoryOfAnotherProcess")
	}
	there, err := Count()
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(there-1, Options{})
	if err == nil {
		err = d.Reserve(8 << 20)
	}
	if err != nil {
		t.Fatal(err)
	}
	testArray[byte](t, d, 3<<20)
	a := testArray[uint64](t, d, 5)
	if err := a.Write(0, exporterWords()); err != nil {
		t.Fatal(err)
	}
	handle, err := d.exportArena()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.openArena(handle); err == nil {
		t.Error("a process opens its own memory")
	}
	host, err := Locked[uint64](t.Context(), d, 5, Locking{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	copy(host.Host(), exporterWords())
	fmt.Println(hex.EncodeToString(handle[:]), a.Address()-d.arena.base, len(host.Host()))
	name, err := json.Marshal(host.name)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(string(name))
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	words := make([]uint64, 5)
	if err := a.Read(0, words); err != nil {
		t.Error(err)
	}
	fmt.Println(words)
	fmt.Println(host.Host())
	if err := host.Free(); err != nil {
		t.Error(err)
	}
}

// Kernels of one process access page-locked host memory of another one.
func TestHostMemoryOfAnotherProcess(t *testing.T) {
	d := testDevice(t)
	if d.properties.hostPointers == 0 {
		t.Skip("the device does not read the memory of the host by its addresses")
	}
	e := startExporter(t)
	a, err := open[uint64](t.Context(), d, e.host, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Host(), exporterWords()) {
		t.Errorf("read %v", a.Host())
	}
	k := testKernel(t, d, "args")
	if err := errors.Join(k.Launch(1, 1, 0, a.Address(), 11, 12, 13, 14, 15), d.Synchronize(), a.Free()); err != nil {
		t.Error(err)
	}
	if _, err := fmt.Fprintln(e.in); err != nil {
		t.Fatal(err)
	}
	if device, host := e.line(t), e.line(t); device != "[1 2 3 4 5]" || host != "[11 12 13 14 15]" {
		t.Errorf("the other process has %s and, in host memory, %s", device, host)
	}
}

// Host and kernels of one process access the memory of another one.
func TestMemoryOfAnotherProcess(t *testing.T) {
	d := testDevice(t)
	e := startExporter(t)
	at, err := d.openArena(e.handle)
	if err != nil {
		t.Fatal(err)
	}
	a := Array[uint64]{d, "memory of another process", at + e.offset, 5}
	if got := testHost(t, a); !slices.Equal(got, exporterWords()) {
		t.Errorf("read %v", got)
	}
	own := testArray[uint64](t, d, 2)
	if err := own.CopyPart(0, a, 3, 2); err != nil {
		t.Error(err)
	}
	if got := testHost(t, own); !slices.Equal(got, exporterWords()[3:]) {
		t.Errorf("copied %v", got)
	}
	k := testKernel(t, d, "args")
	if err := errors.Join(k.Launch(1, 1, 0, a.Address(), 11, 12, 13, 14, 15), d.Synchronize(), d.closeArena(at)); err != nil {
		t.Error(err)
	}
	if strings.Contains(d.properties.Name, "emulated") {
		if err := a.Read(0, make([]uint64, 1)); err == nil {
			t.Error("the memory is there after its end")
		}
	}
	fmt.Fprintln(e.in)
	if got := e.line(t); got != "[11 12 13 14 15]" {
		t.Errorf("the other process has %s", got)
	}
}

func TestNoSuchMemory(t *testing.T) {
	d := testDevice(t)
	var fault *Error
	if _, err := d.openArena(driver.MemoryHandle{1, 2, 3}); !errors.As(err, &fault) || fault.Lost() {
		t.Error(err)
	}
	if _, err := d.exportArena(); err == nil {
		t.Error("a device without an arena has one for others")
	}
}

// The emulation has a setting for GPUs without peer access.
func TestNoPeerAccessToAnotherProcess(t *testing.T) {
	devices := testPeers(t, 2)
	if !strings.Contains(devices[0].properties.Name, "emulated") {
		t.Skip("GPUs with peer access")
	}
	if !inProcess(t, "EMULATION_NO_PEER=1") {
		return
	}
	e := startExporter(t)
	var fault *Error
	if _, err := devices[0].openArena(e.handle); !errors.As(err, &fault) || fault.Code != 217 {
		t.Error(err)
	}
}
