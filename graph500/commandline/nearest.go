package commandline

// Suggestion returns ", the nearest is " with prefix and the nearest of names, or "" if
// none is near.
func Suggestion(name, prefix string, names []string) string {
	if near, ok := nearest(name, names); ok {
		return ", the nearest is " + prefix + near
	}
	return ""
}

// nearest returns the first of names with the smallest edit distance from name. It is
// near if the distance is at most a third of the length of the longer name.
func nearest(name string, names []string) (best string, near bool) {
	least := 0
	for _, candidate := range names {
		if d := distance(name, candidate); best == "" || d < least {
			best, least = candidate, d
		}
	}
	return best, best != "" && 3*least <= max(len(name), len(best))
}

// distance returns the restricted Damerau-Levenshtein distance of a and b: the number
// of insertions, deletions and replacements of a letter and of swaps of two adjacent
// letters, without editing a letter twice.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = min(replaced, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
