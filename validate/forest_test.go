package validate

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"graph500/engine"
	"graph500/parallel"
	"graph500/vector"
)

// newForest returns a Forest in a form.
func newForest(t fataler, team *parallel.Team, vertices, trees int, form vector.Form) *Forest {
	f, err := NewForest(team, uint64(vertices), trees)
	if err != nil {
		t.Fatalf("%v", err)
	}
	f.form = form
	return f
}

// TestForest adds arrays of any labels, valid or not, until there is no room. What was added must come
// back, whole, in blocks, and one by one, before and after an array without room.
func TestForest(t *testing.T) {
	team := parallel.NewTeam(3)
	defer team.Close()
	rapid.Check(t, func(t *rapid.T) {
		vertices := rapid.IntRange(1, 300).Draw(t, "vertices")
		room := rapid.IntRange(1, 20).Draw(t, "room")
		f := newForest(t, team, vertices, room, rapid.SampledFrom(vector.Forms()).Draw(t, "form"))
		defer f.Close()
		for range 2 {
			f.Clear()
			different := rapid.IntRange(1, 9).Draw(t, "different")
			label := rapid.OneOf(rapid.Uint32Range(0, uint32(different)), rapid.SampledFrom([]uint32{engine.None, engine.Beyond, 1 << 31}))
			if different <= forestSlots {
				label = rapid.Uint32Range(5, 4+uint32(different)) // all of them fit
			}
			var added [][]engine.Label
			for range room + 1 {
				parents := rapid.SliceOfN(label, vertices, vertices).Draw(t, "parents")
				fits := f.Add(parents)
				if must := different <= forestSlots; must && fits != (len(added) < room) || fits && len(added) == room {
					t.Fatalf("tree %d of %d with %d different parents: %v", len(added), room, different, fits)
				}
				if fits {
					added = append(added, parents)
				}
			}
			if f.Len() != len(added) {
				t.Fatalf("%d trees, %d were added", f.Len(), len(added))
			}
			for tree, want := range added {
				for i := range f.unpacked {
					f.unpacked[i] = 12345
				}
				if got := f.Parents(tree); !slices.Equal(got, want) {
					t.Fatalf("tree %d is %v, want %v", tree, got, want)
				}
				kept, raw := Search{Forest: f, Tree: tree}, Search{Parents: want}
				if kept.size() != vertices {
					t.Fatalf("%d vertices, want %d", kept.size(), vertices)
				}
				var buffer, other [fillBlock]engine.Label
				for lo := 0; lo < vertices; lo += fillBlock {
					hi := min(lo+fillBlock, vertices)
					if got := kept.part(lo, hi, &buffer); !slices.Equal(got, raw.part(lo, hi, &other)) {
						t.Fatalf("vertices %d to %d of tree %d: %v, want %v", lo, hi, tree, got, want[lo:hi])
					}
				}
				for v, p := range want {
					if got := kept.parent(engine.Label(v)); got != p {
						t.Fatalf("tree %d: parent %d of %d, want %d", tree, got, v, p)
					}
				}
			}
		}
	})
}

// TestForestWithoutRoom adds trees in which each vertex has another parent than before: they find no
// room beyond the slots, and the trees before them stay.
func TestForestWithoutRoom(t *testing.T) {
	const vertices, room = 5 * vertexGrain / 2, 30 // more vertices than forestSmall
	team := parallel.NewTeam(2)
	defer team.Close()
	for _, form := range vector.Forms() {
		f := newForest(t, team, vertices, room, form)
		tree := func(i int) []engine.Label {
			parents := make([]engine.Label, vertices)
			for v := range parents {
				parents[v] = engine.Label(v ^ i)
			}
			return parents
		}
		for f.Add(tree(f.Len())) {
		}
		if want := forestSlots + (room*vertices/forestOthers+forestSmall)/vertices; f.Len() != want {
			t.Errorf("%v: room for %d trees, want %d", form, f.Len(), want)
		}
		for i := range f.Len() {
			if !slices.Equal(f.Parents(i), tree(i)) {
				t.Errorf("%v: tree %d is wrong", form, i)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
