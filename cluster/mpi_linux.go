package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"graph500/library"
)

// mpi is an MPI library that was found at run time and initialised. Any goroutine may
// call MPI: mu serialises the calls (MPI_THREAD_SERIALIZED). No call blocks, so that
// messages pass while a collective operation waits.
type mpi struct {
	file, version string
	abi           abi
	fn            functions
	libcExit      library.Function

	mu       sync.Mutex
	results  results
	size     int
	messages uintptr // communicator of send and receive
	sends    []*sending
	pending  []*runtime.Pinner // buffers of collective operations that were given up; a Pinner must not be lost while it pins
}

// functions are the functions of MPI that the program calls.
type functions struct {
	InitThread     library.Function `symbol:"MPI_Init_thread"`
	Finalize       library.Function `symbol:"MPI_Finalize"`
	Abort          library.Function `symbol:"MPI_Abort"`
	CommRank       library.Function `symbol:"MPI_Comm_rank"`
	CommSize       library.Function `symbol:"MPI_Comm_size"`
	CommDup        library.Function `symbol:"MPI_Comm_dup"`
	CommSetErrors  library.Function `symbol:"MPI_Comm_set_errhandler"`
	ErrorString    library.Function `symbol:"MPI_Error_string"`
	LibraryVersion library.Function `symbol:"MPI_Get_library_version"`
	Test           library.Function `symbol:"MPI_Test"`
	Isend          library.Function `symbol:"MPI_Isend"`
	Iprobe         library.Function `symbol:"MPI_Iprobe"`
	Recv           library.Function `symbol:"MPI_Recv"`
	Iallreduce     library.Function `symbol:"MPI_Iallreduce"`
	Iallgather     library.Function `symbol:"MPI_Iallgather"`
	Iallgatherv    library.Function `symbol:"MPI_Iallgatherv"`
	Ialltoall      library.Function `symbol:"MPI_Ialltoall"`
	Ialltoallv     library.Function `symbol:"MPI_Ialltoallv"`
}

// sending is a message that MPI has not sent yet.
type sending struct {
	request request
	message message
	pin     runtime.Pinner
}

// results is memory outside the stack for the results of a call, which mu protects.
type results struct {
	text    [8192]byte // MPI_MAX_ERROR_STRING and MPI_MAX_LIBRARY_VERSION_STRING are smaller or equal
	number  int32
	handle  uint64
	request request
}

// request is the memory of a handle, which is an integer or a pointer, and of a status,
// which is shorter in every interface.
type request struct {
	handle uint64
	flag   int32
	_      int32
	status [16]uint64
}

// openLibrary loads the first of the libraries that exists.
func openLibrary(libraries []string) (*mpi, error) {
	var reasons []string
	for _, name := range libraries {
		// Plug-ins of MPI libraries expect their symbols in the global scope.
		l, err := library.Open(name, library.Global)
		if err != nil {
			reasons = append(reasons, err.Error())
			continue
		}
		m := &mpi{file: name, libcExit: library.Function(l.Address("exit"))}
		if err := l.Bind(&m.fn); err != nil {
			return nil, err
		}
		resolved, err := filepath.EvalSymlinks(name)
		if err != nil {
			resolved = name
		}
		m.abi = abiOf(resolved, l.Address)
		m.version = m.readVersion()
		return m, nil
	}
	return nil, fmt.Errorf("no MPI library was found (%s); GRAPH500_MPI can name one", strings.Join(reasons, "; "))
}

// readVersion returns the first line of the library's version. It may be called before
// MPI is initialised.
func (m *mpi) readVersion() string {
	if m.call(m.fn.LibraryVersion, address(&m.results.text), address(&m.results.number)) != nil {
		return "unknown version"
	}
	line, _, _ := bytes.Cut(m.results.text[:m.results.number], []byte("\n"))
	return strings.Join(strings.Fields(strings.Trim(string(line), "\x00")), " ")
}

// address returns the address of memory that is not on a stack.
func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// join initialises MPI and returns the world.
func join(l *Launcher) (*World, error) {
	before := signalActions()
	m, err := openLibrary(l.libraries)
	if err != nil {
		return nil, err
	}
	rank, err := m.initialize()
	restoreSignals(before)
	if err != nil {
		return nil, err
	}
	if l.Size != 0 && l.Size != m.size {
		return nil, fmt.Errorf("%s (%s) makes a world of %d of the %d processes, so it belongs to another launcher; GRAPH500_MPI can name the right library",
			m.file, m.version, m.size, l.Size)
	}
	if m.size == 1 {
		return Alone(), m.call(m.fn.Finalize)
	}
	return newWorld(rank, m.size, m), nil
}

// initialize initialises MPI, sets size and messages, and returns the rank.
func (m *mpi) initialize() (rank int, err error) {
	number, handle := &m.results.number, &m.results.handle
	if err := m.call(m.fn.InitThread, 0, 0, m.abi.threads, address(number)); err != nil {
		return 0, err
	}
	if uintptr(*number) < m.abi.threads {
		return 0, fmt.Errorf("%s (%s) does not allow calls from several threads (MPI_THREAD_SERIALIZED)", m.file, m.version)
	}
	if err := m.call(m.fn.CommSetErrors, m.abi.world, m.abi.errorsReturn); err != nil {
		return 0, err
	}
	if err := m.call(m.fn.CommRank, m.abi.world, address(number)); err != nil {
		return 0, err
	}
	rank = int(*number)
	if err := m.call(m.fn.CommSize, m.abi.world, address(number)); err != nil {
		return 0, err
	}
	m.size = int(*number)
	if err := m.call(m.fn.CommDup, m.abi.world, address(handle)); err != nil {
		return 0, err
	}
	m.messages = uintptr(*handle)
	return rank, m.call(m.fn.CommSetErrors, m.messages, m.abi.errorsReturn)
}

// call calls a function of MPI.
func (m *mpi) call(function library.Function, arguments ...uintptr) error {
	code := function.Call(arguments...)
	if int32(code) == 0 {
		return nil
	}
	m.fn.ErrorString.Call(code, address(&m.results.text), address(&m.results.number))
	return fmt.Errorf("MPI: %s", bytes.TrimRight(m.results.text[:max(0, m.results.number)], "\x00"))
}

// collective starts a nonblocking collective operation and waits for its end. Its last
// argument, the request, is added. pin pins the buffers of the operation. MPI cannot
// cancel it: after the end of ctx, collective does not return.
func (m *mpi) collective(ctx context.Context, pin *runtime.Pinner, function library.Function, arguments ...uintptr) error {
	r := new(request)
	pin.Pin(r)
	m.mu.Lock()
	err := m.call(function, append(arguments, address(&r.handle))...)
	m.mu.Unlock()
	if err != nil {
		pin.Unpin()
		return err
	}
	for n := 0; ; n++ {
		done, err := m.test(r)
		if done || err != nil {
			pin.Unpin()
			return err
		}
		if n%64 == 63 && ctx.Err() != nil {
			m.mu.Lock()
			m.pending = append(m.pending, pin)
			m.mu.Unlock()
			select {} // MPI may still use the buffers, which the caller would free
		}
		pause(n)
	}
}

// test reports whether the operation of a request has ended.
func (m *mpi) test(r *request) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.testLocked(r)
}

func (m *mpi) testLocked(r *request) (bool, error) {
	err := m.call(m.fn.Test, address(&r.handle), address(&r.flag), address(&r.status))
	return r.flag != 0, err
}

// pause waits between two tests of a request: first not at all, then for other
// processes on this core, then up to a millisecond. The system call keeps its thread,
// which time.Sleep does not.
func pause(n int) {
	const spins, yields = 200, 5000
	switch {
	case n < spins:
	case n < yields:
		_, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
	default:
		nap := syscall.NsecToTimespec(int64(min((n-yields)*10+1000, 1_000_000)))
		_ = syscall.Nanosleep(&nap, nil)
	}
}

// pinned pins the memory of s and returns its address.
func pinned[T any](pin *runtime.Pinner, s []T) uintptr {
	if cap(s) == 0 {
		return 0
	}
	first := unsafe.SliceData(s)
	pin.Pin(first)
	return address(first)
}

func (m *mpi) reduce(ctx context.Context, by operation, values []int64) error {
	pin := new(runtime.Pinner)
	combined := make([]int64, len(values))
	err := m.collective(ctx, pin, m.fn.Iallreduce, pinned(pin, values), pinned(pin, combined), uintptr(len(values)),
		m.abi.int64s, m.abi.operations[by], m.abi.world)
	if err == nil {
		copy(values, combined)
	}
	return err
}

func (m *mpi) allgather(ctx context.Context, own, all []byte) error {
	pin := new(runtime.Pinner)
	n := uintptr(len(own))
	return m.collective(ctx, pin, m.fn.Iallgather, pinned(pin, own), n, m.abi.bytes, pinned(pin, all), n, m.abi.bytes, m.abi.world)
}

func (m *mpi) allgatherv(ctx context.Context, own, all []byte, bytes []int32) error {
	pin := new(runtime.Pinner)
	return m.collective(ctx, pin, m.fn.Iallgatherv, pinned(pin, own), uintptr(len(own)), m.abi.bytes,
		pinned(pin, all), pinned(pin, bytes), pinned(pin, placesOf(bytes)), m.abi.bytes, m.abi.world)
}

// placesOf returns where parts of these lengths begin, one after the other.
func placesOf(lengths []int32) []int32 {
	places := make([]int32, len(lengths))
	for i := range len(places) - 1 {
		places[i+1] = places[i] + lengths[i]
	}
	return places
}

func (m *mpi) alltoall(ctx context.Context, in, out []byte) error {
	pin := new(runtime.Pinner)
	n := uintptr(len(in) / m.size)
	return m.collective(ctx, pin, m.fn.Ialltoall, pinned(pin, in), n, m.abi.bytes, pinned(pin, out), n, m.abi.bytes, m.abi.world)
}

func (m *mpi) alltoallv(ctx context.Context, in []byte, inBytes []int32, out []byte, outBytes []int32) error {
	pin := new(runtime.Pinner)
	return m.collective(ctx, pin, m.fn.Ialltoallv,
		pinned(pin, in), pinned(pin, inBytes), pinned(pin, placesOf(inBytes)), m.abi.bytes,
		pinned(pin, out), pinned(pin, outBytes), pinned(pin, placesOf(outBytes)), m.abi.bytes, m.abi.world)
}

// messageTag is the tag of all messages.
const messageTag = 500

func (m *mpi) send(to int, text *message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	waiting := m.sends[:0]
	for _, s := range m.sends {
		if done, err := m.testLocked(&s.request); !done && err == nil {
			waiting = append(waiting, s)
			continue
		}
		s.pin.Unpin()
	}
	m.sends = waiting
	s := &sending{message: *text}
	s.pin.Pin(s)
	m.sends = append(m.sends, s)
	return m.call(m.fn.Isend, address(&s.message), unsafe.Sizeof(s.message), m.abi.bytes, uintptr(to), messageTag,
		m.messages, address(&s.request.handle))
}

func (m *mpi) receive(from int, text *message) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := &m.results.request
	err := m.call(m.fn.Iprobe, uintptr(from), messageTag, m.messages, address(&r.flag), address(&r.status))
	if err != nil || r.flag == 0 {
		return false, err
	}
	return true, m.call(m.fn.Recv, address(text), unsafe.Sizeof(*text), m.abi.bytes, uintptr(from), messageTag,
		m.messages, address(&r.status))
}

func (m *mpi) clean() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.pending) == 0
}

func (m *mpi) abort(status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_ = m.call(m.fn.Abort, m.abi.world, uintptr(status))
}

// finish ends the process through libc's exit. MPICH takes leave of its launcher in a
// function of atexit. Without it, the launcher would kill the other ranks.
func (m *mpi) finish(status int) {
	m.mu.Lock()
	err := m.call(m.fn.Finalize)
	if m.libcExit != 0 && err == nil {
		m.libcExit.Call(uintptr(status))
	}
	os.Exit(status)
}

func (m *mpi) exit(status int) { os.Exit(status) }
