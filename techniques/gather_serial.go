//go:build cuda

package techniques

func init() {
	implementations["gather-serial"] = implementation{
		modules:   []string{"gather_serial"},
		newSearch: newGathering("gather_serial"),
	}
}
