//go:build cuda

package device

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// testPeers opens that many GPUs. With fewer it skips the test.
func testPeers(t *testing.T, count int) (devices []*Device) {
	t.Helper()
	there, err := Count()
	if err != nil {
		t.Skip(err)
	}
	if there < count {
		t.Skipf("%d GPUs, the test needs %d", there, count)
	}
	for ordinal := range count {
		d, err := Open(ordinal, Options{Separate: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() }) // a failed device stays so
		if err := d.Reserve(64 << 20); err != nil {
			t.Fatal(err)
		}
		devices = append(devices, d)
	}
	return devices
}

func TestEnablePeersTwice(t *testing.T) {
	devices := testPeers(t, 2)
	for range 2 {
		if err := enablePeers(devices); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(enablePeers(nil), enablePeers(devices[:1]), enablePeers([]*Device{devices[0], devices[0]})); err != nil {
		t.Error(err)
	}
}

// storeInPeer runs a kernel of device 0 that writes to the memory of device 1.
func storeInPeer(t *testing.T, devices []*Device) (stored []uint64, err error) {
	t.Helper()
	var out Array[uint64]
	held, err := devices[1].Borrow(Group{Arrays: []Declared{Of(&out, "test array", 5)}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { err = errors.Join(err, held.Free()) }() // it fails, too, if the access was a fault
	if err := errors.Join(out.Fill(0xA5), devices[1].Synchronize()); err != nil {
		t.Fatal(err)
	}
	k := testKernel(t, devices[0], "args")
	if err := errors.Join(k.Launch(1, 1, 0, out.Address(), 11, 12, 13, 14, 15), devices[0].Synchronize()); err != nil {
		return nil, err
	}
	stored = make([]uint64, 5)
	return stored, out.Read(0, stored)
}

// When Write returns, another GPU reads what was written. Such a GPU is not in any stream of the
// first one.
func TestWriteForPeers(t *testing.T) {
	devices := testPeers(t, 2)
	if err := enablePeers(devices); err != nil {
		t.Fatal(err)
	}
	want := []uint64{1, 2, 3, 4, 5}
	written := testArray[uint64](t, devices[1], len(want))
	seen := written
	seen.device = devices[0]
	for range 100 {
		if err := errors.Join(written.Fill(0xA5), written.Write(0, want)); err != nil {
			t.Fatal(err)
		}
		if got := testHost(t, seen); !slices.Equal(got, want) {
			t.Fatalf("%#x", got)
		}
	}
}

func TestAccessOfPeers(t *testing.T) {
	devices := testPeers(t, 2)
	if err := enablePeers(devices); err != nil {
		t.Fatal(err)
	}
	if stored, err := storeInPeer(t, devices); err != nil || !slices.Equal(stored, []uint64{11, 12, 13, 14, 15}) {
		t.Errorf("%v, %v", stored, err)
	}
}

// Without enablePeers the access is a fault, which the test's own process survives.
func TestAccessNeedsPeers(t *testing.T) {
	devices := testPeers(t, 2)
	if !inProcess(t) {
		return
	}
	var fault *Error
	if _, err := storeInPeer(t, devices); !errors.As(err, &fault) || !fault.Lost() {
		t.Error(err)
	}
}

// testProcess is set in the processes of inProcess.
const testProcess = "DEVICE_TEST_PROCESS=1"

// inProcess runs the test in a process of its own, with these variables. It returns
// whether this is that process.
func inProcess(t *testing.T, variables ...string) bool {
	t.Helper()
	if slices.Contains(os.Environ(), testProcess) {
		return true
	}
	process := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	process.Env = append(append(os.Environ(), testProcess), variables...)
	if out, err := process.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v: %s", err, out)
	}
	return false
}

func TestCopyPart(t *testing.T) {
	devices := testPeers(t, 2)
	if err := enablePeers(devices); err != nil {
		t.Fatal(err)
	}
	host := make([]uint32, 100)
	for i := range host {
		host[i] = uint32(i)
	}
	for _, c := range []struct{ to, from int }{{0, 0}, {0, 1}, {1, 0}, {1, 1}} {
		from, to := testArray[uint32](t, devices[c.from], 100), testArray[uint32](t, devices[c.to], 50)
		if err := errors.Join(from.Write(0, host), to.Fill(0), devices[c.to].Synchronize()); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(to.CopyPart(3, from, 60, 40), to.CopyPart(50, from, 100, 0), to.CopyPart(0, from, 7, 1), devices[c.to].Synchronize()); err != nil {
			t.Fatal(err)
		}
		got, want := make([]uint32, 50), make([]uint32, 50)
		copy(want[3:], host[60:])
		want[0] = 7
		if err := to.Read(0, got); err != nil || !slices.Equal(got, want) {
			t.Errorf("from device %d to device %d: %v, %v", c.from, c.to, got, err)
		}
		for _, bad := range []struct{ at, from, n int }{{-1, 0, 1}, {0, -1, 1}, {0, 0, -1}, {11, 0, 40}, {0, 61, 40}, {51, 0, 0}, {0, 101, 0}} {
			if err := to.CopyPart(bad.at, from, bad.from, bad.n); err == nil || !strings.Contains(err.Error(), "elements from index") {
				t.Errorf("%+v: %v", bad, err)
			}
		}
	}
}

// A kernel finds the first element of a based array at index first.
func TestBased(t *testing.T) {
	d := testPeers(t, 1)[0]
	a := testArray[uint64](t, d, 5)
	b := a.Based(1000)
	if b.Address()+1000*8 != a.Address() || b.Len() != 0 {
		t.Errorf("%x and %x, %d elements", b.Address(), a.Address(), b.Len())
	}
	if err := b.Read(0, make([]uint64, 1)); err == nil {
		t.Error("the host reads a based array")
	}
}

// Memory is free on the other devices that one of them does not take from.
func TestMemoryOfEachDevice(t *testing.T) {
	devices := testPeers(t, 2)
	before, _, err := devices[1].Memory()
	if err != nil {
		t.Fatal(err)
	}
	own, _, err := devices[0].Memory()
	if err != nil {
		t.Fatal(err)
	}
	testArray[byte](t, devices[0], 32<<20)
	after, _, err := devices[1].Memory()
	if err != nil || after != before {
		t.Errorf("%d bytes of device 1 are free after %d, %v", after, before, err)
	}
	if now, _, err := devices[0].Memory(); err != nil || now > own-32<<20 {
		t.Errorf("%d bytes of device 0 are free after %d, %v", now, own, err)
	}
}

// The emulation has a setting for GPUs without peer access.
func TestNoPeerAccess(t *testing.T) {
	devices := testPeers(t, 2)
	if !strings.Contains(strings.ToLower(devices[0].properties.Name), "emulated") {
		t.Skip("GPUs with peer access")
	}
	if !inProcess(t, "EMULATION_NO_PEER=1") {
		return
	}
	var none *NoPeerAccess
	if err := enablePeers(devices); !errors.As(err, &none) || none.From != 0 || none.To != 1 ||
		!strings.Contains(err.Error(), "cannot access the memory of GPU 1 (") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}
