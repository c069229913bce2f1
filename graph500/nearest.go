package main

// nearest returns the one of names that takes the fewest insertions, deletions
// and replacements of a letter to reach from name; the first of equals.
func nearest(name string, names []string) string {
	best, least := "", 0
	for _, candidate := range names {
		if d := distance(name, candidate); best == "" || d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance is the edit distance of Levenshtein.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
