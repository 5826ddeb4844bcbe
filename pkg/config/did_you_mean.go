package config

// didYouMean returns a suffix for a message about an unknown name. The suffix suggests the
// nearest known name within three edits. It is empty if there is none.
func didYouMean(prefix, name string, known []string) string {
	best, at := "", 4
	for _, k := range known {
		if d := levenshteinDistance(name, k); d < at {
			best, at = k, d
		}
	}
	if best == "" {
		return ""
	}
	return ", did you mean " + prefix + best + "?"
}

// levenshteinDistance returns the minimum number of single-byte edits that turn a into b.
func levenshteinDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
