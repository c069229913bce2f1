//go:build cuda

package techniques

func init() {
	implementations["gather-scan"] = implementation{
		modules:   []string{"gather_scan"},
		newSearch: newGathering("gather_scan"),
	}
}
