//go:build cuda

package techniques

func init() {
	implementations["gather-cta"] = implementation{
		modules:   []string{"gather_cta"},
		newSearch: newGathering("gather_cta"),
	}
}
