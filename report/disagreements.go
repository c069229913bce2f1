package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// agreement is the largest relative difference of two computed values that agree. The
// formulas are the same, but a compiler may round otherwise.
const agreement = 1e-9

// Disagreements lists the values in the output of JSON that do not follow from the
// searches in it, such as a harmonic mean that was changed by hand. A text of schema
// version 1 or 2 has its values at other places, so it is an error.
func Disagreements(text []byte) ([]string, error) {
	run, err := ReadRun(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	var again bytes.Buffer
	if err := JSON(&again, run); err != nil {
		return nil, err
	}
	var stated, computed map[string]any
	if err := errors.Join(json.Unmarshal(text, &stated), json.Unmarshal(again.Bytes(), &computed)); err != nil {
		return nil, err
	}
	if stated["kernels"] == nil {
		return nil, fmt.Errorf("its schema_version is %v, which is too old to compare", stated["schema_version"])
	}
	delete(stated, "schema_version")
	return differences("", stated, computed), nil
}

// isStatistics reports whether a field of a kernel holds statistics of its searches, which
// are in every version that has kernels.
func isStatistics(name string) bool {
	return slices.Contains([]string{"time", "nedge", "teps", "validate"}, name)
}

// differences lists the values at and below path that differ, and statistics that are
// missing. Other fields of one object only do not count: another program of the same schema
// version may have more.
func differences(path string, stated, computed any) (list []string) {
	switch c := computed.(type) {
	case map[string]any:
		s, ok := stated.(map[string]any)
		if !ok {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(c)) {
			if value, has := s[name]; has {
				list = append(list, differences(path+"."+name, value, c[name])...)
			} else if isStatistics(name) || isStatistics(path[strings.LastIndex(path, ".")+1:]) {
				list = append(list, fmt.Sprintf("%s.%s is missing", path[1:], name))
			}
		}
		return list
	case []any:
		s, ok := stated.([]any)
		if !ok || len(s) != len(c) {
			break
		}
		for i := range c {
			list = append(list, differences(fmt.Sprintf("%s[%d]", path, i), s[i], c[i])...)
		}
		return list
	case float64:
		if s, ok := stated.(float64); ok && math.Abs(s-c) <= agreement*math.Max(math.Abs(s), math.Abs(c)) {
			return nil
		}
	default:
		if stated == computed {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s is %.40s, and the searches give %.40s", path[1:], fmt.Sprint(stated), fmt.Sprint(computed))}
}
