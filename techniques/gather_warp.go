//go:build cuda

package techniques

func init() {
	implementations["gather-warp"] = implementation{
		modules:   []string{"gather_warp"},
		newSearch: newGathering("gather_warp"),
	}
}
