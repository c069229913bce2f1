//go:build cuda

package gpu

import (
	"reflect"
	"strings"
	"testing"
)

func TestAssign(t *testing.T) {
	four := strings.Fields("a b c d")
	for _, c := range []struct {
		name         string
		visible      [][]string
		count, given int
		want         [][]int
		err          string
	}{
		{"one each", [][]string{four, four, four, four}, 1, -1, [][]int{{0}, {1}, {2}, {3}}, ""},
		{"two each", [][]string{four, four}, 2, -1, [][]int{{0, 1}, {2, 3}}, ""},
		{"each sees its own", [][]string{{"a"}, {"b"}, {"c"}}, 1, -1, [][]int{{0}, {0}, {0}}, ""},
		{"in another order", [][]string{{"a", "b"}, {"b", "a"}}, 1, -1, [][]int{{0}, {0}}, ""},
		{"overlap", [][]string{{"a", "b"}, {"b", "c"}}, 1, -1, [][]int{{0}, {0}}, ""},
		{"overlap after the first", [][]string{{"a", "b"}, {"a", "c"}}, 1, -1, [][]int{{0}, {1}}, ""},
		{"shared", [][]string{four, four, four}, 1, 2, [][]int{{2}, {2}, {2}}, ""},
		{"two shared", [][]string{four, four}, 2, 1, [][]int{{1, 2}, {1, 2}}, ""},
		{"too many ranks", [][]string{{"a", "b"}, {"a", "b"}, {"a", "b"}}, 1, -1, nil, "3 ranks need 3 GPUs (or -device to share one), there are 2"},
		{"too many each", [][]string{four, four}, 3, -1, nil, "2 ranks need 6 GPUs, 3 each, there are 4"},
		{"no such GPU", [][]string{four, four}, 1, 4, nil, "there are 0 GPUs from GPU 4 on, not 1,"},
	} {
		got, err := assign(c.visible, c.count, c.given)
		if !reflect.DeepEqual(got, c.want) || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}

func TestGPUsEach(t *testing.T) {
	four := strings.Fields("a b c d")
	for _, c := range []struct {
		name    string
		visible [][]string
		byHost  map[string][]int
		want    int
	}{
		{"two ranks", [][]string{four, four}, map[string][]int{"x": {0, 1}}, 2},
		{"a remainder", [][]string{four, four, four}, map[string][]int{"x": {0, 1, 2}}, 1},
		{"more ranks than GPUs", [][]string{{"a"}, {"a"}}, map[string][]int{"x": {0, 1}}, 1},
		{"two hosts", [][]string{four, four, four}, map[string][]int{"x": {0, 2}, "y": {1}}, 2},
		{"two hosts, one with few", [][]string{four, four[:1]}, map[string][]int{"x": {0}, "y": {1}}, 1},
	} {
		if got := gpusEach(c.visible, c.byHost); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
