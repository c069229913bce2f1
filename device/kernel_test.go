//go:build cuda

package device

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// testPTX has four kernels. args stores its parameters, of several sizes, as 64-bit
// words. meet counts its blocks in count, waits until all have arrived, which only a
// cooperative launch guarantees, and stores the count that each block then reads. put sets
// the variable value, and twice doubles it.
const testPTX = `.version 7.8
.target sm_80
.address_size 64

.visible .entry args(.param .u64 out, .param .u32 a, .param .u8 b, .param .f32 c, .param .u64 d, .param .u16 e)
{
	.reg .b64 %o, %v;
	ld.param.u64 %o, [out];
	cvta.to.global.u64 %o, %o;
	ld.param.u32 %v, [a];
	st.global.u64 [%o], %v;
	ld.param.u8 %v, [b];
	st.global.u64 [%o+8], %v;
	ld.param.u32 %v, [c];
	st.global.u64 [%o+16], %v;
	ld.param.u64 %v, [d];
	st.global.u64 [%o+24], %v;
	ld.param.u16 %v, [e];
	st.global.u64 [%o+32], %v;
	ret;
}

.visible .entry meet(.param .u64 count, .param .u64 seen)
{
	.reg .pred %p;
	.reg .b32 %r, %n, %b;
	.reg .b64 %c, %s, %i;
	ld.param.u64 %c, [count];
	ld.param.u64 %s, [seen];
	cvta.to.global.u64 %c, %c;
	cvta.to.global.u64 %s, %s;
	mov.u32 %r, %tid.x;
	setp.ne.u32 %p, %r, 0;
	@%p bra done;
	mov.u32 %n, %nctaid.x;
	atom.global.add.u32 %r, [%c], 1;
wait:
	ld.acquire.gpu.global.u32 %r, [%c];
	setp.lt.u32 %p, %r, %n;
	@%p bra wait;
	mov.u32 %b, %ctaid.x;
	mul.wide.u32 %i, %b, 4;
	add.u64 %s, %s, %i;
	st.global.u32 [%s], %r;
done:
	ret;
}

.visible .global .u64 value;

.visible .entry put(.param .u64 x)
{
	.reg .b64 %v;
	ld.param.u64 %v, [x];
	st.global.u64 [value], %v;
	ret;
}

.visible .entry twice()
{
	.reg .b64 %v;
	ld.global.u64 %v, [value];
	add.u64 %v, %v, %v;
	st.global.u64 [value], %v;
	ret;
}
`

// testImages holds the test's own module.
var testImages = fstest.MapFS{"compiled/test.ptx": {Data: []byte(testPTX)}}

func testModule(t testing.TB, d *Device) *Module {
	t.Helper()
	m, err := d.Load("test", testImages, "test")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func testKernel(t testing.TB, d *Device, name string) *Kernel {
	t.Helper()
	k, err := testModule(t, d).Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestModules(t *testing.T) {
	d := testDevice(t)
	if _, err := d.Load("test", testImages, "nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	m, err := d.Load("test", testImages, "test")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := d.Load("test", testImages, "test"); err != nil || again != m {
		t.Errorf("loaded twice (%v)", err)
	}
	_, err = m.Kernel("nothing")
	var e *Error
	if !errors.As(err, &e) || e.Code != 500 || e.Lost() || !strings.Contains(err.Error(), "nothing of test.cu: CUDA_ERROR_NOT_FOUND (500)") {
		t.Errorf("a kernel of that name: %v", err)
	}
	if _, err := m.Counts(); err == nil {
		t.Error("counts of a module that is not instrumented")
	}
	if err := m.SetConstant("nothing", struct{ A uint32 }{1}); err == nil {
		t.Error("a constant that does not exist")
	}
}

func TestArguments(t *testing.T) {
	d := testDevice(t)
	k := testKernel(t, d, "args")
	launchers := map[string]func(grid, block, shared int, args ...uint64) error{
		"plain":       k.Launch,
		"cooperative": k.LaunchCooperative,
	}
	for name, launch := range launchers {
		out := testArray[uint64](t, d, 5)
		const high = 0xFFFF_FFFF_0000_0000 // bits beyond every parameter but d
		if err := launch(1, 1, 0, out.Address(), high|0x89ABCDEF, high|0xEE, high|0x3FC00000, 0x8123456789ABCDEF, high|0xBEEF); err != nil {
			t.Fatal(err)
		}
		want := []uint64{0x89ABCDEF, 0xEE, 0x3FC00000, 0x8123456789ABCDEF, 0xBEEF}
		if got := testHost(t, out); !slices.Equal(got, want) {
			t.Errorf("%s: %x, want %x", name, got, want)
		}
	}
}

// testMeeting returns the kernel meet with a block size, an amount of shared memory
// in bytes, and the largest grid that is resident at once with these.
func testMeeting(t *testing.T, d *Device) (k *Kernel, grid, block, shared int) {
	t.Helper()
	k, block, shared = testKernel(t, d, "meet"), 256, 60<<10
	if err := k.AllowShared(shared); err != nil {
		t.Fatal(err)
	}
	perSM, err := k.BlocksPerSM(block, shared)
	if err != nil || perSM < 1 {
		t.Fatalf("%d blocks: %v", perSM, err)
	}
	return k, perSM * d.Properties().SMs, block, shared
}

func TestCooperative(t *testing.T) {
	d := testDevice(t)
	k, grid, block, shared := testMeeting(t, d)
	count, seen := testArray[uint32](t, d, 1), testArray[uint32](t, d, grid)
	if err := errors.Join(count.Fill(0), k.LaunchCooperative(grid, block, shared, count.Address(), seen.Address())); err != nil {
		t.Fatal(err)
	}
	if got := testHost(t, seen); !slices.Equal(got, slices.Repeat([]uint32{uint32(grid)}, grid)) {
		t.Errorf("%d blocks did not all see each other: %d", grid, got)
	}

	var e *Error
	if err := k.LaunchCooperative(grid+1, block, shared, count.Address(), seen.Address()); !errors.As(err, &e) || e.Name != "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE" || e.Lost() {
		t.Errorf("a grid larger than the device: %v", err)
	}
	if err := k.Launch(0, block, 0, 0, 0); !errors.As(err, &e) || e.Lost() {
		t.Errorf("an empty grid: %v", err)
	}
	if err := k.AllowShared(d.Properties().MaxSharedMemory + 1); err == nil {
		t.Error("more shared memory than the limit of a block")
	}
	if err := d.Synchronize(); err != nil {
		t.Errorf("wrong calls broke the device: %v", err)
	}
}

func TestEvents(t *testing.T) {
	d := testDevice(t)
	var events [3]*Event
	for i := range events {
		e, err := d.NewEvent()
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := errors.Join(e.Close(), e.Close()); err != nil {
				t.Error(err)
			}
		}()
		events[i] = e
	}
	if _, err := events[1].Since(events[0]); err == nil {
		t.Error("a time between events that are not recorded")
	}
	a := testArray[byte](t, d, 64<<20)
	if err := errors.Join(events[0].Record(), a.Fill(1), events[1].Record(), a.Fill(2), a.Fill(3), events[2].Record()); err != nil {
		t.Fatal(err)
	}
	first, err1 := events[1].Since(events[0])
	second, err2 := events[2].Since(events[1])
	both, err3 := events[2].Since(events[0])
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	if first <= 0 || second <= 0 || both < max(first, second) {
		t.Errorf("intervals of %v and %v, in total %v", first, second, both)
	}
}
