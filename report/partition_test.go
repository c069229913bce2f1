package report

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"
)

// docs/partition.md contains every column and field of a partitioning.
func TestPartitionDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/partition.md")
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := PartitionCSV(&table, &Partitioning{}); err != nil {
		t.Fatal(err)
	}
	names := strings.Split(strings.TrimSpace(table.String()), ",")
	for _, of := range []reflect.Type{reflect.TypeFor[Partitioning](), reflect.TypeFor[PolicyResult]()} {
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			if name != "" && name != "policies" {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/partition.md lacks %s", name)
		}
	}
}

// The chart has a mark for each policy, also with one.
func TestPartitionChart(t *testing.T) {
	p := &Partitioning{Parts: 2, Policies: []PolicyResult{{Policy: "one", EdgeMaxMean: 1, Replication: 1.5}}}
	for range 2 {
		var out bytes.Buffer
		if err := PartitionChart(&out, p); err != nil || strings.Count(out.String(), ">one<")+strings.Count(out.String(), ">two<") != len(p.Policies) {
			t.Errorf("%v: %s", err, out.String())
		}
		p.Policies = append(p.Policies, PolicyResult{Policy: "two", EdgeMaxMean: 40, Replication: 9})
	}
}
