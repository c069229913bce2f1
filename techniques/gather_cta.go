//go:build cuda

package techniques

func gatherCta() Technique {
	return Technique{
		Text:      gatherCtaText,
		modules:   []string{"gather_cta"},
		newSearch: newGathering("gather_cta"),
	}
}
