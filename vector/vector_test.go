package vector

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestChoose tests every name with every largest form.
func TestChoose(t *testing.T) {
	all := []Form{Plain, AVX2, AVX512}
	for _, most := range all {
		lookup := func(name string) func(string) (string, bool) {
			return func(variable string) (string, bool) { return name, variable == Variable }
		}
		for _, f := range all {
			got, err := choose(lookup(f.String()), most)
			if f > most {
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%s=%s: ", Variable, f)) {
					t.Errorf("%v of at most %v: %v, %v", f, most, got, err)
				}
			} else if got != f || err != nil {
				t.Errorf("%v of at most %v: %v, %v", f, most, got, err)
			}
		}
		for _, unset := range []func(string) (string, bool){lookup(""), func(string) (string, bool) { return "", false }} {
			if got, err := choose(unset, most); got != most || err != nil {
				t.Errorf("unset: %v, %v; want %v", got, err, most)
			}
		}
		if _, err := choose(lookup("sse"), most); err == nil || err.Error() != Variable+"=sse is not one of plain, avx2, avx512" {
			t.Errorf("sse: %v", err)
		}
	}
}

// TestChosen checks that the form that runs is one of this processor, and the last of them
// without the variable.
func TestChosen(t *testing.T) {
	forms := Forms()
	if !slices.Contains(forms, Chosen()) || forms[0] != Plain {
		t.Errorf("%v of %v", Chosen(), forms)
	}
	if os.Getenv(Variable) == "" && Chosen() != forms[len(forms)-1] {
		t.Errorf("%v of %v", Chosen(), forms)
	}
	if err := Check(); err != nil {
		t.Error(err)
	}
}
