//go:build cuda

package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"graph500/cluster"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/device/exchange"
	"graph500/engine"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	"graph500/memory"
	"graph500/parallel"
	cores "graph500/validate"
)

// form is how the searches of a graph are validated.
type form struct {
	kernel   engine.Kernel
	devices  int  // all of them the same one
	exchange bool // they do not access each other's memory
	wide     bool // labels of 48 bits
	parts    bool // each device has a third of its tuples at a time
	searches int  // together
}

func (f form) String() string {
	s := fmt.Sprintf("%s/devices=%d/searches=%d", f.kernel, f.devices, f.searches)
	for name, on := range map[string]bool{"/exchange": f.exchange, "/wide": f.wide, "/parts": f.parts} {
		if on {
			s += name
		}
	}
	return s
}

// forms lists forms with all values of all parameters, for one kernel or for both.
func forms(kernels ...engine.Kernel) (list []form) {
	for _, k := range kernels {
		list = append(list,
			form{kernel: k, devices: 1, searches: 1},
			form{kernel: k, devices: 1, searches: 4, wide: true, parts: true},
			form{kernel: k, devices: 2, searches: 1, wide: true},
			form{kernel: k, devices: 3, searches: 3, parts: true},
			form{kernel: k, devices: 2, searches: 2, exchange: true},
			form{kernel: k, devices: 4, searches: 1, exchange: true, wide: true},
		)
	}
	return list
}

var both = []engine.Kernel{engine.BFS, engine.SSSP}

// bench has one graph on the devices, and the host's checker as the reference.
type bench struct {
	Batch
	form
	g       testGraph
	checker *cores.Checker
	live    Results
}

// inTurn returns the list, of which a short test takes one form of three, from number turn on.
func inTurn(list []form, turn int) (some []form) {
	if !testing.Short() {
		return list
	}
	for i := turn % 3; i < len(list); i += 3 {
		some = append(some, list[i])
	}
	return some
}

// eachForm calls test with the graph in each form.
func eachForm(t *testing.T, list []form, g testGraph, test func(t *testing.T, b *bench)) {
	t.Helper()
	d := devicetest.Open(t)
	for _, f := range list {
		t.Run(f.String(), func(t *testing.T) { withBench(t, d, f, g, func(b *bench) { test(t, b) }) })
	}
}

// withBench calls use with the graph in a form.
func withBench(t testing.TB, d *device.Device, f form, g testGraph, use func(b *bench)) {
	t.Helper()
	g = g.of(f.kernel)
	r := rand.New(rand.NewPCG(uint64(len(g.Edges)), uint64(f.devices)))
	withShares(t, d, f, g, func() (shares []*generate.Tuples) {
		firsts := make([]int, f.devices+1)
		for k := 1; k < f.devices; k++ {
			firsts[k] = r.IntN(len(g.Edges) + 1)
		}
		firsts[f.devices] = len(g.Edges)
		slices.Sort(firsts)
		for k := range f.devices {
			shares = append(shares, f.load(t, d, g.Tuples, firsts[k], firsts[k+1]))
		}
		return shares
	}, use)
}

// withShares is withBench with the shares that make returns.
func withShares(t testing.TB, d *device.Device, f form, g testGraph, make func() []*generate.Tuples, use func(b *bench)) {
	t.Helper()
	team := parallel.NewTeam(2)
	defer team.Close()
	b := &bench{form: f, g: g}
	var err error
	if b.checker, err = cores.New(team, cores.Alone(uint64(g.n), f.kernel)); err != nil {
		t.Fatal(err)
	}
	var free []func()
	borrow := func(f func()) { free = append(free, f) }
	parents, freeParents := devicetest.Borrowed[engine.Label](t, d, g.n)
	b.live.Parents = parents
	borrow(freeParents)
	if f.kernel == engine.SSSP {
		distances, freeDistances := devicetest.Borrowed[float32](t, d, g.n)
		b.live.Distances = distances
		borrow(freeDistances)
	}
	devices := slices.Repeat([]*device.Device{d}, f.devices)
	if b.Team, err = device.NewTeam(t.Context(), cluster.Alone(), devices, device.Distributed); err != nil {
		t.Fatal(err)
	}
	if f.exchange {
		if b.Exchange, err = exchange.OverHost(t.Context(), cluster.Alone(), b.Team); err != nil {
			t.Fatal(err)
		}
		for range devices { // the tables in pieces of a few words
			buffer, freeBuffer := devicetest.Borrowed[byte](t, d, 4*f.devices*(1+g.n/7))
			b.Buffers = append(b.Buffers, buffer)
			borrow(freeBuffer)
		}
	}
	b.Shares = make()
	for range devices {
		b.Trees = append(b.Trees, b.newTrees(t, d))
	}
	use(b)
	b.freeDeep(t)
	for i := range slices.Backward(devices) {
		devicetest.Close(t, b.Trees[i])
	}
	for i := range slices.Backward(b.Shares) {
		devicetest.Close(t, b.Shares[i])
	}
	for _, f := range slices.Backward(free) {
		f()
	}
	if f.exchange {
		devicetest.Close(t, b.Exchange)
	}
	devicetest.Close(t, b.checker)
}

// freeDeep frees the tables of deep trees. All batches took them from one device, in the order of
// the trees, and only the last one can be freed.
func (b *bench) freeDeep(t testing.TB) {
	t.Helper()
	for {
		left, freed := 0, 0
		for _, k := range b.Trees {
			if n := len(k.borrowed); n > 0 && k.borrowed[n-1].Free() == nil {
				k.borrowed, freed = k.borrowed[:n-1], freed+1
			}
			left += len(k.borrowed)
		}
		if left == 0 {
			return
		}
		if freed == 0 {
			t.Fatalf("%d tables of deep trees cannot be freed", left)
		}
	}
}

// load copies tuples first..end-1 of a list to the device.
func (f form) load(t testing.TB, d *device.Device, list engine.Tuples, first, end int) *generate.Tuples {
	t.Helper()
	own := engine.Tuples{Edges: list.Edges[first:end]}
	if list.Weights != nil {
		own.Weights = list.Weights[first:end:end]
	}
	c := generate.Config{First: uint64(first), Wide: f.wide}
	if f.parts && end-first > 1 {
		c.Capacity = uint64(end-first+2) / 3
		own = owned(t, own, f.wide)
	}
	return generatetest.Load(t, d, c, own)
}

// owned copies tuples to memory that a list in parts takes over.
func owned(t testing.TB, list engine.Tuples, wide bool) (own engine.Tuples) {
	t.Helper()
	var errs [3]error
	if wide {
		own.Wide, errs[0] = memory.Alloc[engine.Edge48](len(list.Edges))
		engine.Widen(own.Wide, list.Edges)
	} else {
		own.Edges, errs[1] = memory.Alloc[engine.Edge](len(list.Edges))
		copy(own.Edges, list.Edges)
	}
	if list.Weights != nil {
		own.Weights, errs[2] = memory.Alloc[float32](len(list.Weights))
		copy(own.Weights, list.Weights)
	}
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return own
}

// newTrees returns an empty batch of the form, with poison in its memory.
func (b *bench) newTrees(t testing.TB, d *device.Device) *Trees {
	t.Helper()
	k, err := NewTrees(d, b.kernel, b.wide, b.live, b.searches)
	if err != nil {
		t.Fatal(err)
	}
	if k.columns != nil && b.searches > 1 {
		err = errors.Join(k.columns.parents.Fill(devicetest.Poison), k.columns.distances.Fill(devicetest.Poison))
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// keep writes a search to the live arrays and adds it to a batch.
func (b *bench) keep(t testing.TB, k *Trees, s cores.Search) {
	t.Helper()
	if err := errors.Join(b.live.Parents.Write(0, s.Parents), b.live.Distances.Write(0, s.Distances), k.Keep(s.Root)); err != nil {
		t.Fatal(err)
	}
}

// poison fills all memory that a check must initialise.
func (b *bench) poison(t testing.TB) {
	t.Helper()
	var errs []error
	for _, k := range b.Trees {
		for _, c := range k.checkers {
			errs = append(errs, c.table.Fill(devicetest.Poison), c.facts.Fill(devicetest.Poison), c.deepTable.Fill(devicetest.Poison))
		}
		if c := k.columns; c != nil {
			errs = append(errs, c.joined.Fill(devicetest.Poison), c.alone.Parents.Fill(devicetest.Poison), c.alone.Distances.Fill(devicetest.Poison))
		}
	}
	if b.searches > 1 { // live is no longer needed
		errs = append(errs, b.live.Parents.Fill(devicetest.Poison), b.live.Distances.Fill(devicetest.Poison))
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// judge compares the results for searches, right or wrong, with those of the host, as many
// together as the form says. It returns the error of the validation.
func (b *bench) judge(t testing.TB, searches ...cores.Search) (verdict error) {
	t.Helper()
	for n := min(b.searches, len(searches)); n > 0; n = min(b.searches, len(searches)) {
		verdict = cmp.Or(verdict, b.judgeTogether(t, searches[:n]))
		searches = searches[n:]
	}
	return verdict
}

// judgeTogether is judge for the searches of one batch.
func (b *bench) judgeTogether(t testing.TB, searches []cores.Search) (verdict error) {
	t.Helper()
	for _, check := range []struct {
		name   string
		device func(context.Context) ([]engine.Tree, error)
		host   func(context.Context, engine.Tuples, []cores.Search) ([]engine.Tree, error)
	}{
		{"CountEdges", b.CountEdges, b.checker.CountEdges},
		{"Check", b.Check, b.checker.Check},
	} {
		for _, s := range searches {
			for _, k := range b.Trees {
				b.keep(t, k, s)
			}
		}
		b.poison(t)
		want, wantErr := check.host(t.Context(), b.g.Tuples, searches)
		got, err := check.device(t.Context())
		if !slices.Equal(got, want) || !reflect.DeepEqual(err, wantErr) {
			t.Fatalf("%s of %d searches, %d vertices, %d tuples:\n%+v, %v\nwant %+v, %v", check.name, len(searches), b.g.n, len(b.g.Edges), got, err, want, wantErr)
		}
		verdict = err
		b.checkKept(t, searches)
		b.drop()
		if again, err := check.device(t.Context()); len(again) > 0 || err != nil {
			t.Fatalf("%s of none: %+v, %v", check.name, again, err)
		}
	}
	return verdict
}

func (b *bench) drop() {
	for _, k := range b.Trees {
		k.Drop()
	}
}

// checkKept compares the results that the batches return with those that they were given.
func (b *bench) checkKept(t testing.TB, searches []cores.Search) {
	t.Helper()
	sameBits := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
	for _, k := range b.Trees {
		for i, s := range searches {
			kept, err := k.Results(i)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(devicetest.Host(t, kept.Parents), s.Parents) || !slices.EqualFunc(devicetest.Host(t, kept.Distances), s.Distances, sameBits) {
				t.Fatalf("search %d was changed", i)
			}
		}
	}
}

// judgeRule requires that a search breaks a rule.
func (b *bench) judgeRule(t testing.TB, rule cores.Rule, s cores.Search) {
	t.Helper()
	var broken *cores.Error
	if err := b.judge(t, s); !errors.As(err, &broken) || broken.Rule != rule {
		t.Fatalf("error %v, want rule %v", err, rule)
	}
}
