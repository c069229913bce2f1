package leaderboard

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
)

// The page unpacks every run to what was packed.
func TestUnpackedRuns(t *testing.T) {
	entries := exampleEntries()
	for i := range 3 {
		entries = append(entries, Entry{fmt.Sprint("realistic", i), realisticRun(i)})
	}
	board := New(entries)
	tab := newTab(t)
	tab.open(board)
	runs := 0
	for _, table := range board.Tables {
		for _, r := range table.Rows {
			runs++
			want, err := r.opened()
			if err != nil {
				t.Fatal(err)
			}
			got := script[string](tab, fmt.Sprintf(`unpack(%q).then(JSON.stringify)`, r.ID))
			tab.want(r.File, decoded(t, got), decoded(t, string(want)))
		}
	}
	if runs != board.Runs() || runs < len(entries)-1 { // one of the examples has no place
		t.Errorf("%d of %d runs", runs, board.Runs())
	}
}

func decoded(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// nastyValues are JSON texts that are not like runs.
func nastyValues() []string {
	list := []string{
		`null`, `0`, `"a"`, `true`, `{}`, `[]`, `[[]]`, `[{},{}]`, `[[],[]]`, `[null,null]`, `[1,2]`, `[0,1,{"a":1}]`,
		`[{"a":1},{"a":1},{"b":2}]`, `[{"a":1,"b":2},{"b":2,"a":1}]`, `[{"a":[]},{"a":[]}]`, `[{"a":[]},{"a":[{}]}]`, `[{"a":[]},{"a":[[],[1]]}]`,
		`[{"a":null},{"a":[1]}]`, `[{"a":[{"b":1}]},{"a":[{"b":2},{"b":3}]}]`, `[{"a":{"b":1}},{"a":{"b":"1"}}]`, `[{"a":{}},{"a":{}}]`,
		`[{"__proto__":1,"constructor":2},{"__proto__":3,"constructor":4}]`, `{"0":{"lists":1},"__proto__":[1]}`,
		`[{"teps":2,"nedge":4,"seconds":2},{"teps":0.3333333333333333,"nedge":1,"seconds":3}]`, // a quotient
		`[{"teps":3,"nedge":4,"seconds":2},{"teps":5,"nedge":10,"seconds":2}]`,                 // none
		`[{"teps":2},{"teps":2}]`, `[{"teps":null,"nedge":1,"seconds":1},{"teps":1,"nedge":1,"seconds":1}]`,
		`[{"a":0.1},{"a":1e-7}]`, `[{"a":1e300},{"a":1e-300}]`, `[{"a":0},{"a":0.5}]`, `[{"a":-0.25},{"a":9007199254740993}]`, `[{"a":-3.2e-8},{"a":6.4e-8}]`, `[{"a":0},{"a":0.0}]`,
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var records []any
		for range 1 + random.IntN(5) {
			records = append(records, map[string]any{"seconds": float64(random.IntN(1e6)) / 1e6, "nedge": random.Int64N(1 << 40), "share": random.Float64(), "levels": make([]map[string]int, random.IntN(3))})
		}
		text, err := json.Marshal(records)
		if err != nil {
			panic(err)
		}
		list = append(list, string(text))
	}
	return list
}

// Packing keeps any JSON, and its order.
func TestPacking(t *testing.T) {
	tab := newTab(t)
	tab.open(exampleBoard(t))
	for _, text := range nastyValues() {
		p := newPacker()
		value, err := p.pack([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		packed, err := json.Marshal([]any{value, p.lists})
		if err != nil {
			t.Fatal(err)
		}
		got := script[string](tab, fmt.Sprintf(`JSON.stringify(unpackValue(...JSON.parse(%s)))`, quoted(string(packed))))
		want := script[string](tab, fmt.Sprintf(`JSON.stringify(JSON.parse(%s))`, quoted(text)))
		tab.want(text, got, want)
	}
}

// A list of values that several runs share is stored once; decimal fractions become
// integers.
func TestListsAreStoredOnce(t *testing.T) {
	p := newPacker()
	for range 2 {
		if _, err := p.pack([]byte(`[{"a":0.064,"b":7},{"a":0.032,"b":8}]`)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(p.lists)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(text), `{"a":[{"power":3,"factor":32,"values":[2,1]}],"b":[[7,8]]}`; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}
