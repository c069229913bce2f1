package report

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestDisagreements(t *testing.T) {
	whole := written(t, fullRun())
	for name, c := range map[string]struct {
		old, new string
		want     []string
	}{
		"none":           {"", "", nil},
		"harmonic mean":  {`"harmonic_mean": 53.33333333333333`, `"harmonic_mean": 54`, []string{"kernels[0].teps.harmonic_mean is 54, and the searches give 53.33333333333333"}},
		"rounding":       {`"harmonic_mean": 53.33333333333333`, `"harmonic_mean": 53.33333333333334`, nil},
		"conforming":     {`"conforming": false`, `"conforming": true`, []string{"conforming is true, and the searches give false"}},
		"another type":   {`"nbfs": 2`, `"nbfs": "2"`, []string{"nbfs is 2, and the searches give 2"}},
		"number of rows": {`"teps": 80`, `"teps": [80]`, []string{"kernels[0].searches[0].teps is [80], and the searches give 80"}},
		"no mean":        {`"harmonic_mean": 53.33333333333333,`, ``, []string{"kernels[0].teps.harmonic_mean is missing"}},
		"another field":  {`"nbfs": 2`, `"nbfs": 2, "watts": 5`, nil},
	} {
		if !strings.Contains(whole, c.old) {
			t.Fatalf("%s: the example lacks %s", name, c.old)
		}
		got, err := Disagreements([]byte(strings.Replace(whole, c.old, c.new, 1)))
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	old, err := os.ReadFile("testdata/result-version-2.json")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"{}": "no result of graph500", string(old): "its schema_version is 2, which is too old to compare"} {
		if _, err := Disagreements([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30s: %v", text, err)
		}
	}
}
