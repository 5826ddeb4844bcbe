package policy

// maxTypos is the largest edit distance that still counts as a typo.
const maxTypos = 3

// NearestName returns the known name that was probably meant, or "" if none is similar.
// If several names are equally similar, it returns the first.
func NearestName(name string, known []string) string {
	if len(name) > 2*maxNameLength {
		return "" // too long for a typo, and slow to compare
	}
	best, limit := "", min(maxTypos, len(name)/2)+1
	for _, k := range known {
		// A name of very different length cannot be near enough. Skipping it keeps the
		// search fast for long names from clients.
		if max(len(name)-len(k), len(k)-len(name)) >= limit {
			continue
		}
		if d := levenshteinDistance(name, k); d < limit {
			best, limit = k, d
		}
	}
	return best
}

// levenshteinDistance returns the number of single-byte edits between two strings.
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
