package policy

// slips is how many wrong letters still look like a slip of the finger.
const slips = 3

// Nearest is the known name that was probably meant, or "". Of equally near
// ones the first wins.
func Nearest(name string, known []string) string {
	if len(name) > 2*maxName {
		return "" // which would take long, and is no slip of the finger
	}
	best, at := "", min(slips, len(name)/2)+1
	for _, k := range known {
		// Names of very different lengths are not compared at all: a client
		// chooses how long its name is, and with it how long this takes.
		if max(len(name)-len(k), len(k)-len(name)) >= at {
			continue
		}
		if d := distance(name, k); d < at {
			best, at = k, d
		}
	}
	return best
}

// distance is the Levenshtein distance.
func distance(a, b string) int {
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
