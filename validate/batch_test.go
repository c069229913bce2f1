package validate

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"graph500/engine"
	"graph500/parallel"
	"graph500/vector"
)

// judgeAll compares the result of Check for several searches with that of the
// reference rules, applied to one search after the other.
func judgeAll(t fataler, c *Checker, g testGraph, searches []Search) {
	t.Helper()
	var want []engine.Tree
	var wrong *Error
	for _, s := range searches {
		if rule, place, ok := g.firstBroken(s.Parents, engine.Label(s.Root)); !ok {
			wrong = &Error{Rule: rule, Root: s.Root, Vertex: int64(place), Tuple: int64(place)}
			break
		}
		want = append(want, g.answer(engine.Label(s.Root)).Tree)
	}
	trees, err := c.Check(context.Background(), engine.Tuples{Edges: g.tuples}, searches)
	if !slices.Equal(trees, want) {
		t.Fatalf("%+v, %v; want %+v", trees, err, want)
	}
	judgeTable(t, c, g, searches[:min(c.together, len(searches))], want)
	judgeForest(t, c, g, searches, want, err)
	if wrong == nil {
		if err != nil {
			t.Fatalf("%v", err)
		}
		return
	}
	var broken *Error
	if !errors.As(err, &broken) {
		t.Fatalf("error %v, want rule %v at %d", err, wrong.Rule, wrong.Tuple)
	}
	if broken.Rule != wrong.Rule || broken.Root != wrong.Root || broken.Rule != Size && broken.place() != int(wrong.Tuple) {
		t.Fatalf("%v, want rule %v at %d in the tree of root %d", err, wrong.Rule, wrong.Tuple, wrong.Root)
	}
}

// judgeForest requires the given result of Check for searches that a Forest keeps, all but the last.
func judgeForest(t fataler, c *Checker, g testGraph, searches []Search, want []engine.Tree, wantErr error) {
	t.Helper()
	f := newForest(t, c.batch.team, g.n, len(searches)*forestOthers, c.batch.vector)
	defer f.Close()
	kept := slices.Clone(searches)
	for i := range kept[:max(0, len(kept)-1)] {
		if s := &kept[i]; len(s.Parents) == g.n {
			if !f.Add(s.Parents) {
				t.Fatalf("no room for tree %d", i)
			}
			s.Parents, s.Forest, s.Tree = nil, f, f.Len()-1
		}
	}
	trees, err := c.Check(context.Background(), engine.Tuples{Edges: g.tuples}, kept)
	if !slices.Equal(trees, want) || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
		t.Fatalf("kept in a forest: %+v, %v; want %+v, %v", trees, err, want, wantErr)
	}
	counted, countErr := c.CountEdges(context.Background(), engine.Tuples{Edges: g.tuples}, kept)
	if raw, rawErr := c.CountEdges(context.Background(), engine.Tuples{Edges: g.tuples}, searches); !slices.Equal(counted, raw) || (countErr == nil) != (rawErr == nil) {
		t.Fatalf("kept in a forest: counts %+v, %v; want %+v, %v", counted, countErr, raw, rawErr)
	}
}

// judgeTable checks the result of the batch alone. Correct trees that are not too
// deep must be confirmed with the given facts; the tree after them is wrong and
// must not be confirmed.
func judgeTable(t fataler, c *Checker, g testGraph, searches []Search, right []engine.Tree) {
	t.Helper()
	found, err := c.batch.check(context.Background(), engine.Tuples{Edges: g.tuples}, searches)
	if err != nil {
		t.Fatalf("%v", err)
	}
	for i := range searches {
		want := engine.Tree{}
		if i < len(right) && right[i].Depth <= lastCode-rootCode {
			want = right[i]
		}
		if i <= len(right) && found[i] != want {
			t.Fatalf("tree %d: the batch finds %+v, want %+v", i, found[i], want)
		}
	}
}

// TestRandomBatches checks up to two and a half batches of trees, with equal or
// different roots, some of them changed.
func TestRandomBatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		searches := make([]Search, rapid.IntRange(0, rapid.SampledFrom([]int{5 * MinBatch / 2, MaxBatch + MinBatch}).Draw(t, "most")).Draw(t, "searches"))
		changed := rapid.SliceOfN(rapid.IntRange(0, len(searches)), 0, 2).Draw(t, "changed")
		for i := range searches {
			root := engine.Label(rapid.IntRange(0, g.n-1).Draw(t, "root"))
			parents, depths := g.search(root)
			if rapid.Bool().Draw(t, "other tree") {
				otherParents(t, g, parents, depths)
			}
			if slices.Contains(changed, i) {
				change(t, g, parents, depths)
			}
			searches[i] = Search{Root: engine.Vertex(root), Parents: parents}
		}
		withCheckers(t, g.n, func(_ int, c *Checker) { judgeAll(t, c, g, searches) })
	})
}

// otherParents turns a tree into another valid tree with the same root.
func otherParents(t *rapid.T, g testGraph, parents []engine.Label, depths []int) {
	rows := g.rows()
	last := rapid.Bool().Draw(t, "last")
	for v, p := range parents {
		if p == engine.None || depths[v] == 0 {
			continue
		}
		for _, a := range rows[v] {
			if depths[a.To] == depths[v]-1 && (a.To > parents[v]) == last {
				parents[v] = a.To
			}
		}
	}
}

// TestWrongTrees makes every trap at every position of a batch of right trees. Check must return
// the facts of the trees before it and the same error as for the tree alone, with any number of
// workers.
func TestWrongTrees(t *testing.T) {
	g := nastyGraph().testGraph
	var right []Search
	var facts []engine.Tree
	for i := range MaxBatch + 3 {
		root := []engine.Label{0, 8, 3, 9, 12, 15, 20, 4}[i%8]
		a := g.answer(root)
		right = append(right, Search{Root: engine.Vertex(root), Parents: a.Parents})
		facts = append(facts, a.Tree)
	}
	messages := map[string]string{}
	withCheckers(t, g.n, func(workers int, c *Checker) {
		right, facts := right[:c.together+3], facts[:c.together+3]
		for i, m := range wrongSearches(engine.BFS, nastyGraph()) {
			wrong := m.of(right[0])
			alone := judge(t, c, g, wrong.Parents, 0)
			var broken *Error
			if !errors.As(alone, &broken) || broken.Rule != m.rule {
				t.Fatalf("%s: %v, want rule %v", m.name, alone, m.rule)
			}
			if messages[m.name] == "" {
				messages[m.name] = alone.Error()
			}
			if messages[m.name] != alone.Error() {
				t.Fatalf("%v\nwith %d workers, before: %s", alone, workers, messages[m.name])
			}
			for at := range right {
				if c.together > MinBatch && (i+at)%8 > 0 {
					continue // each of them at some positions
				}
				searches := slices.Clone(right)
				searches[at] = wrong
				trees, err := c.Check(t.Context(), engine.Tuples{Edges: g.tuples}, searches)
				if !slices.Equal(trees, facts[:at]) || err == nil || err.Error() != alone.Error() {
					t.Fatalf("%s in tree %d, %d workers: %d trees, %v; want %v", m.name, at, workers, len(trees), err, alone)
				}
				judgeForest(t, c, g, searches, facts[:at], alone)
			}
		}
		if trees, err := c.Check(t.Context(), engine.Tuples{Edges: g.tuples}, right); err != nil || !slices.Equal(trees, facts) {
			t.Fatalf("after wrong trees: %+v, %v", trees, err)
		}
	})
}

// TestDeepTreesInABatch mixes trees around the largest depth of the table with
// shallow trees, and breaks the trees at their deepest vertex.
func TestDeepTreesInABatch(t *testing.T) {
	const limit = lastCode - rootCode
	step := 1
	if testing.Short() {
		step = 9
	}
	for n := limit; n <= 2*limit+3; n += step {
		g := testGraph{n: n + 2}
		for v := 1; v < n; v++ {
			g.tuples = append(g.tuples, edge(v, v-1))
		}
		g.tuples = append(g.tuples, edge(n, n+1), edge(n, n)) // another component
		var searches []Search
		for _, root := range []int{0, n / 2, n - 1, limit, n, 0, n/2 + 1, n - 2, n/2 - 1} {
			root = min(root, n)
			parents, _ := g.search(engine.Label(root))
			searches = append(searches, Search{Root: engine.Vertex(root), Parents: parents})
		}
		withCheckers(t, g.n, func(_ int, c *Checker) {
			judgeAll(t, c, g, searches)
			for i, s := range searches {
				_, depths := g.search(engine.Label(s.Root))
				deepest := slices.Index(depths, slices.Max(depths))
				for _, p := range []engine.Label{engine.None, engine.Label(s.Root), engine.Label(deepest)} {
					broken := slices.Clone(searches)
					broken[i].Parents = slices.Clone(s.Parents)
					broken[i].Parents[deepest] = p
					judgeAll(t, c, g, broken)
				}
			}
		})
	}
}

// TestParentsWithEqualBits tests parents that the entries of the table cannot
// distinguish: a vertex of the last level has several neighbours in the previous
// level whose labels have equal low bits. In some trees its parent is not a
// neighbour.
func TestParentsWithEqualBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const middle, last = 12, 30
		g := testGraph{n: (hashMask + 1) * (middle + 1)}
		joined := make(map[engine.Edge]bool)
		for i := range middle {
			g.tuples = append(g.tuples, edge(0, (hashMask+1)*(i+1)))
		}
		for v := 1; len(joined) < 3*last; v++ {
			if v%(hashMask+1) == 0 {
				continue
			}
			for range 3 {
				e := edge(v, (hashMask+1)*rapid.IntRange(1, middle).Draw(t, "middle"))
				joined[e] = true
				g.tuples = append(g.tuples, e)
			}
			if v > g.n-2 {
				break
			}
		}
		tree, depths := g.search(0)
		var searches []Search
		for range rapid.IntRange(2, MaxBatch).Draw(t, "searches") {
			parents := slices.Clone(tree)
			wrong := rapid.IntRange(0, 9).Draw(t, "wrong") == 0
			for v := range parents {
				if depths[v] != 2 {
					continue
				}
				p := engine.Label((hashMask + 1) * rapid.IntRange(1, middle).Draw(t, "parent"))
				if joined[engine.Edge{U: engine.Label(v), V: p}] || wrong {
					parents[v] = p
				}
			}
			searches = append(searches, Search{Parents: parents})
		}
		withCheckers(t, g.n, func(_ int, c *Checker) { judgeAll(t, c, g, searches) })
	})
}

// TestDeepestTreeOfTheTable fills the table with paths whose vertices are in
// several orders. Only paths that are not too deep must be confirmed.
func TestDeepestTreeOfTheTable(t *testing.T) {
	rounds := 30
	if testing.Short() {
		rounds = 4
	}
	for _, kernel := range []engine.Kernel{engine.BFS, engine.SSSP} {
		r := rand.New(rand.NewPCG(1, 3))
		most := int(entryFormOf(kernel).lastCode) - rootCode
		for depth := most - 1; depth <= most+2; depth++ {
			for round := range rounds {
				order := r.Perm(10 * fillBlock)
				if round < 2 {
					slices.Sort(order)
				}
				if round == 1 {
					slices.Reverse(order)
				}
				testPathInTable(t, kernel, order, depth, depth <= most)
			}
		}
	}
}

// testPathInTable fills the table with a path of the given depth along the order.
func testPathInTable(t *testing.T, kernel engine.Kernel, order []int, depth int, fits bool) {
	t.Helper()
	parents := slices.Repeat([]engine.Label{engine.None}, len(order))
	root := engine.Label(order[0])
	parents[root] = root
	for i := 1; i <= depth; i++ {
		parents[order[i]] = engine.Label(order[i-1])
	}
	withKernel(t, len(order), kernel, func(_ int, c *Checker) {
		c.batch.reset(c.together)
		c.batch.take(Search{Root: engine.Vertex(root), Parents: parents})
		if err := c.batch.fill(t.Context()); err != nil {
			t.Fatal(err)
		}
		if (c.batch.unconfirmed() == 0) != fits {
			t.Fatalf("%s, depth %d: fits %v", kernel, depth, !fits)
		}
	})
}

// TestComponentsInABatch checks trees of different components, which have no
// common tuple, with self loops and duplicates.
func TestComponentsInABatch(t *testing.T) {
	const size, components = 50, 20
	g := testGraph{n: size * components}
	r := rand.New(rand.NewPCG(3, 9))
	for range 3 * g.n {
		first := r.IntN(components) * size
		g.tuples = append(g.tuples, edge(first+r.IntN(size), first+r.IntN(size)))
	}
	var searches []Search
	for i := range components {
		root := engine.Label(i*size + r.IntN(size))
		parents, _ := g.search(root)
		searches = append(searches, Search{Root: engine.Vertex(root), Parents: parents})
	}
	withCheckers(t, g.n, func(_ int, c *Checker) {
		judgeAll(t, c, g, searches)
		for i := range searches {
			checkCounts(t, c, g, searches[i:])
		}
	})
}

// checkCounts compares the counts of several searches with those of each search.
func checkCounts(t fataler, c *Checker, g testGraph, searches []Search) {
	t.Helper()
	trees, err := c.CountEdges(context.Background(), engine.Tuples{Edges: g.tuples}, searches)
	if err != nil || len(trees) != len(searches) {
		t.Fatalf("%+v, %v", trees, err)
	}
	for i, s := range searches {
		if want, err := countOne(context.Background(), c, g.tuples, s.Parents); err != nil || trees[i] != want {
			t.Fatalf("tree %d: %+v, %v; want %+v", i, trees[i], err, want)
		}
	}
}

// TestNothingToCheck tests an empty list of searches and graphs with up to three
// vertices.
func TestNothingToCheck(t *testing.T) {
	for n := range 4 {
		g := testGraph{n: n}
		withCheckers(t, n, func(_ int, c *Checker) {
			judgeAll(t, c, g, nil)
			checkCounts(t, c, g, nil)
			var searches []Search
			for root := range n {
				parents, _ := g.search(engine.Label(root))
				searches = append(searches, Search{Root: engine.Vertex(root), Parents: parents})
			}
			judgeAll(t, c, g, searches)
			checkCounts(t, c, g, searches)
			outside := Search{Root: engine.Vertex(n), Parents: make([]engine.Label, n)}
			judgeAll(t, c, g, append(searches, outside))
			checkCounts(t, c, g, []Search{outside})
		})
	}
}

// TestSizesInABatch checks trees of wrong sizes among correct trees.
func TestSizesInABatch(t *testing.T) {
	g := testGraph{3, []engine.Edge{edge(0, 1), edge(1, 2)}}
	for at := range MinBatch + 2 {
		var searches []Search
		for i := range MinBatch + 4 {
			parents, _ := g.search(engine.Label(i % g.n))
			searches = append(searches, Search{Root: engine.Vertex(i % g.n), Parents: parents})
		}
		searches[at].Parents = [][]engine.Label{nil, {0, 0}, {0, 0, 1, 2}}[at%3]
		withCheckers(t, g.n, func(_ int, c *Checker) {
			judgeAll(t, c, g, searches)
			trees, err := c.CountEdges(t.Context(), engine.Tuples{Edges: g.tuples}, searches)
			var broken *Error
			if len(trees) != at || !errors.As(err, &broken) || broken.Rule != Size {
				t.Fatalf("wrong size of tree %d: %d trees counted, %v", at, len(trees), err)
			}
		})
	}
}

// TestTuplesOutside checks that the error, which is not an *Error, names the first tuple with an
// end out of range, at several positions and for several numbers of trees.
func TestTuplesOutside(t *testing.T) {
	const n = 100
	for _, at := range []int{0, 7, 8, block - 1, block, 3 * block} {
		g := testGraph{n: n}
		for v := range 4*block + 5 {
			g.tuples = append(g.tuples, edge(v%n, v%7))
		}
		parents, _ := g.search(0)
		bad := slices.Clone(g.tuples)
		bad[at], bad[at+9] = edge(5, n), edge(n+1, 5)
		for trees := 1; trees <= MinBatch; trees += 3 {
			searches := slices.Repeat([]Search{{Parents: parents}}, trees)
			withCheckers(t, n, func(_ int, c *Checker) {
				_, err := c.Check(t.Context(), engine.Tuples{Edges: bad}, searches)
				_, countErr := c.CountEdges(t.Context(), engine.Tuples{Edges: bad}, searches)
				for _, err := range []error{err, countErr} {
					var broken *Error
					if err == nil || errors.As(err, &broken) || !strings.Contains(err.Error(), fmt.Sprintf("tuple %d joins 5 and %d", at, n)) {
						t.Fatalf("tuple %d, %d trees: %v", at, trees, err)
					}
				}
				judgeAll(t, c, g, searches) // nothing remains of the wrong tuples
			})
		}
	}
}

// TestCancelledBatch ends the context at each test of the context in the check of
// a batch of correct trees.
func TestCancelledBatch(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 8
	}
	g := kroneckerGraph(12)
	root := g.tuples[0].U
	a := g.answer(root)
	searches := slices.Repeat([]Search{{Root: engine.Vertex(root), Parents: a.Parents}}, MinBatch)
	want := slices.Repeat([]engine.Tree{a.Tree}, MinBatch)
	withCheckers(t, g.n, func(workers int, c *Checker) {
		if workers > 1 {
			return // endsAfter is for one
		}
		for looks := 0; ; looks += step {
			trees, err := c.Check(&endsAfter{t.Context(), looks}, engine.Tuples{Edges: g.tuples}, searches)
			if err == nil {
				if looks < 4 || !slices.Equal(trees, want) {
					t.Fatalf("after %d looks: %+v", looks, trees)
				}
				return
			}
			if !errors.Is(err, context.Canceled) || len(trees) > 0 {
				t.Fatalf("after %d looks: %d trees, %v", looks, len(trees), err)
			}
		}
	})
}

// TestFormsOfScan compares the forms of scan, for rows of each length. The table is
// random, not that of a tree, so that every case is frequent.
func TestFormsOfScan(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 400 {
		if testing.Short() && round%40 > 11 { // each number of vertices
			continue
		}
		b := batch{vertices: 1 + r.IntN(1<<(1+round%12)), words: 1 << (round / 100)}
		b.table = make([]uint64, b.words*b.vertices)
		shallow := r.Uint64N(3)
		for v := range b.vertices {
			for tree := range 8 * b.words {
				code := rootCode + r.Uint64N(lastCode-rootCode+1)
				switch shallow {
				case 1:
					code = 5 + r.Uint64N(2)
				case 2:
					code = 5
				}
				if r.IntN(20) > 0 {
					b.add(tree, engine.Label(v), code|r.Uint64N(hashMask+1)<<hashShift|r.Uint64N(2)*open)
				}
			}
		}
		tuples := make([]engine.Edge, r.IntN(piece+1))
		for i := range tuples {
			tuples[i] = edge(r.IntN(b.vertices), r.IntN(b.vertices))
			if r.IntN(20) == 0 {
				tuples[i].V = tuples[i].U
			}
		}
		if round%10 == 9 && len(tuples) > 0 {
			tuples[r.IntN(len(tuples))].V = engine.Label(b.vertices + r.IntN(2)<<31)
		}
		plain, before := scanner{}, r.IntN(mostCandidates-2*piece)
		for _, form := range vector.Forms() {
			s := scanner{form: form, apart: r.Uint64(), found: before}
			for tree := range MaxBatch {
				s.inside[tree], s.loops[tree] = uint16(tree), uint16(1000*tree)
			}
			ok := s.scan(&b, tuples, tuples)
			if inside := round%10 != 9 || len(tuples) == 0; ok != inside {
				t.Fatalf("round %d, %v: tuples inside: %v, want %v", round, form, ok, inside)
			}
			if !ok {
				continue
			}
			if form == vector.Plain {
				plain = s
				continue
			}
			if s.apart != plain.apart || s.inside != plain.inside || s.loops != plain.loops || s.found != plain.found {
				t.Fatalf("round %d, %v: apart %x, %x; inside %v, %v; loops %v, %v; found %d, %d", round, form,
					plain.apart, s.apart, plain.inside, s.inside, plain.loops, s.loops, plain.found, s.found)
			}
			if a, b := candidates(&plain, before), candidates(&s, before); !slices.Equal(a, b) {
				t.Fatalf("round %d, %v: candidates %x, %x", round, form, a, b)
			}
		}
	}
}

// TestJoin joins as many candidates as a scanner has room for, each in any trees, some of them in a forest
// and some in arrays, and compares the table with one candidate after the other. A tree of another
// forest is not taken.
func TestJoin(t *testing.T) {
	const vertices = 300
	team := parallel.NewTeam(2)
	defer team.Close()
	r := rand.New(rand.NewPCG(9, 10))
	for _, form := range vector.Forms() {
		kept, other := newForest(t, team, vertices, MaxBatch, form), newForest(t, team, vertices, 1, form)
		b := batch{vertices: vertices, words: MaxBatch / 8}
		for tree := range MaxBatch {
			s := Search{Parents: make([]engine.Label, vertices)}
			for v := range s.Parents {
				s.Parents[v] = engine.Label(r.IntN(5))
			}
			if r.IntN(4) > 0 && kept.Add(s.Parents) {
				s = Search{Forest: kept, Tree: kept.Len() - 1}
			}
			if !b.take(s) {
				t.Fatalf("tree %d is not taken", tree)
			}
		}
		if !other.Add(make([]engine.Label, vertices)) || b.take(Search{Forest: other}) {
			t.Error("a tree of another forest is taken")
		}
		b.table = make([]uint64, b.words*vertices)
		for i := range b.table {
			b.table[i] = ^uint64(0)
		}
		want := slices.Clone(b.table)
		s := scanner{form: form, found: mostCandidates - 1}
		for i := range s.found {
			child, parent := r.IntN(vertices), engine.Label(r.IntN(6))
			s.ends[i], s.trees[i] = uint64(child)|uint64(parent)<<32, r.Uint64()
			for tree := range MaxBatch {
				if s.trees[i]>>tree&1 != 0 && b.searches[tree].parent(engine.Label(child)) == parent {
					want[child*b.words+tree/8] &^= open << (tree % 8 * 8)
				}
			}
		}
		b.join(&s)
		if s.found != 0 || !slices.Equal(b.table, want) {
			t.Errorf("%v: another table, %d candidates are left", form, s.found)
		}
		if err := errors.Join(kept.Close(), other.Close()); err != nil {
			t.Error(err)
		}
	}
}

// candidates returns the sorted candidates of a scanner, but the first ones.
func candidates(s *scanner, first int) (list [][2]uint64) {
	for i := first; i < s.found; i++ {
		list = append(list, [2]uint64{s.ends[i], s.trees[i]})
	}
	slices.SortFunc(list, func(a, b [2]uint64) int { return slices.Compare(a[:], b[:]) })
	return list
}

// TestFormsOfFill compares the forms of fillKnown on a block of random parents, most of which
// have a code, for both kernels and rows of each length. Where several trees have the same
// parent, one of them must be open.
func TestFormsOfFill(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const n = 5 * fillBlock
	for round := range 400 {
		kernel := []engine.Kernel{engine.BFS, engine.SSSP}[round%2]
		start := batch{form: entryFormOf(kernel), vertices: n, words: 1}
		if kernel == engine.BFS {
			start.words = 1 << (round / 100)
		}
		last := uint64(start.form.lastCode)
		lo := fillBlock * r.IntN(n/fillBlock)
		hi := lo + fillBlock
		if round%3 == 0 {
			hi -= r.IntN(fillBlock)
		}
		start.table = make([]uint64, (n+1)*start.words) // the row behind the last vertex must not be read
		for v := range n + 1 {
			for tree := range 8 * start.words {
				code := r.Uint64N(last - rootCode + 2)
				if code > 0 {
					code += rootCode - 1
				}
				if r.IntN(8) == 0 {
					code = last
				}
				start.add(tree, engine.Label(v), code)
			}
		}
		start.searches = randomParents(r, n, 1+r.IntN(8*start.words))
		plain, plainTable := filler{}, []uint64(nil)
		for _, form := range vector.Forms() {
			b, f := start, filler{form: form}
			b.table = slices.Clone(start.table)
			f.reset()
			b.takeParents(&f, lo, hi)
			for i := range hi - lo {
				for tree, s := range b.searches {
					if f.parents[i][tree] != s.Parents[lo+i] {
						t.Fatalf("round %d, %v: vertex %d has parent %d in tree %d, want %d", round, form, lo+i, f.parents[i][tree], tree, s.Parents[lo+i])
					}
				}
			}
			b.fillKnown(&f, b.blockRows(&f, lo, 0, hi-lo))
			if form == vector.Plain {
				plain, plainTable = f, b.table
				continue
			}
			if plain.left != f.left || plain.counted != f.counted || plain.codes != f.codes {
				t.Fatalf("round %d, %v: left %x, %x; counted %d, %d; codes %d, %d", round, form,
					plain.left, f.left, plain.counted, f.counted, plain.codes, f.codes)
			}
			judgeEntries(t, &b, plainTable, &f, lo, hi)
		}
	}
}

// TestSettle settles vertices of random parents, most of which lead into cycles, and compares the codes with
// the lengths of the paths. Those that end in settleDepth steps or fewer must all be there.
func TestSettle(t *testing.T) {
	const n = 300
	team := parallel.NewTeam(1)
	defer team.Close()
	rounds := 40
	if testing.Short() {
		rounds = 8 // two of each number of searches
	}
	for round := range rounds {
		r := rand.New(rand.NewPCG(11, uint64(round)))
		searches := randomParents(r, n, []int{1, 9, 40, MaxBatch}[round%4])
		kept := newForest(t, team, n, MaxBatch*forestOthers, vector.Plain)
		for i := range searches {
			searches[i].Root = engine.Vertex(r.IntN(n))
			searches[i].Parents[searches[i].Root] = engine.Label(searches[i].Root)
			if i%4 == 0 { // a path
				order := r.Perm(n)
				searches[i].Root = engine.Vertex(order[0])
				searches[i].Parents[order[0]] = engine.Label(order[0])
				for k := 1; k < n; k++ {
					searches[i].Parents[order[k]] = engine.Label(order[k-1])
				}
			}
		}
		for _, form := range vector.Forms() {
			b := newBatch(team, engine.BFS, n, make([]uint64, n*MaxBatch/8), nil, new(groups))
			b.use(form)
			b.reset(len(searches))
			kept.Clear()
			for i, s := range searches {
				if i%3 > 0 && kept.Add(s.Parents) {
					s = Search{Root: s.Root, Forest: kept, Tree: kept.Len() - 1}
				}
				b.take(s)
				b.add(i, engine.Label(s.Root), rootCode)
			}
			settled := r.Perm(n)[:100]
			for _, v := range settled {
				b.settle(&b.workers[0], engine.Label(v), b.all(), 0)
			}
			for tree, s := range searches {
				for v := range engine.Label(n) {
					steps := stepsToRoot(s, v, lastCode-rootCode)
					code := int(b.code(tree, v))
					if code != 0 && code != rootCode+steps {
						t.Fatalf("round %d, %v: code %d of vertex %d in tree %d, want %d", round, form, code, v, tree, rootCode+steps)
					}
					if code == 0 && steps >= 0 && steps <= settleDepth && slices.Contains(settled, int(v)) {
						t.Fatalf("round %d, %v: no code of vertex %d in tree %d, %d steps from the root", round, form, v, tree, steps)
					}
				}
			}
		}
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	}
}

// stepsToRoot returns the length of the path from v to the root, or -1 if it is above most, or there is none.
func stepsToRoot(s Search, v engine.Label, most int) int {
	for steps := range most + 1 {
		if engine.Vertex(v) == s.Root {
			return steps
		}
		if v = s.Parents[v]; int(v) >= len(s.Parents) {
			break
		}
	}
	return -1
}

// randomParents returns searches with random parents, many of which are equal or wrong.
func randomParents(r *rand.Rand, n, trees int) (searches []Search) {
	for tree := range trees {
		s := Search{Parents: make([]engine.Label, n)}
		for v := range s.Parents {
			switch r.IntN(8) {
			case 0:
				s.Parents[v] = engine.None
			case 1:
				s.Parents[v] = engine.Label(v)
			case 2:
				s.Parents[v] = engine.Label(n + r.IntN(2)<<31)
			case 3, 4:
				s.Parents[v] = append(searches, s)[r.IntN(tree+1)].Parents[v]
			default:
				s.Parents[v] = engine.Label(r.IntN(n))
			}
		}
		searches = append(searches, s)
	}
	return searches
}

// judgeEntries compares a table with that of the plain form. A form may open an entry although
// an earlier tree, in which it is left, has the same parent.
func judgeEntries(t *testing.T, b *batch, plain []uint64, f *filler, lo, hi int) {
	t.Helper()
	for at, word := range b.table {
		v, k := at/b.words, at%b.words
		opened := (word &^ plain[at]) & (uint64(b.form.open) * ones)
		if v < lo || v >= hi {
			opened = 0
		}
		if word != plain[at]|opened {
			t.Fatalf("vertex %d: entries %x, %x", v, plain[at], word)
		}
		for set := topBits(opened); set != 0; set &= set - 1 {
			tree := 8*k + bits.TrailingZeros64(set)
			parents := f.parents[v-lo]
			first := slices.Index(parents[:], parents[tree])
			if f.left[v-lo]>>first&1 == 0 {
				t.Fatalf("vertex %d: tree %d is open, tree %d has the same parent", v, tree, first)
			}
		}
	}
}
