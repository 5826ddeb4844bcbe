package policydiff

import (
	"fmt"
	"strings"
)

const (
	// contextLines is the number of unchanged lines shown on both sides of a change.
	contextLines = 3
	// maxCells limits the table of commonLengths. If two texts need a larger table, all
	// lines between the equal start and the equal end are shown as replaced.
	maxCells = 4 << 20
)

// diffLine is one line of the comparison. mark is ' ' for a line of both texts, '-' for a
// line of the old text and '+' for a line of the new text.
type diffLine struct {
	mark byte
	text string
}

// UnifiedDiff compares two texts line by line. The result has the format of diff -u without
// the file header. It is empty if the texts have the same lines.
func UnifiedDiff(from, to string) string {
	if from == to {
		return ""
	}
	all := compareLines(splitLines(from), splitLines(to))
	var b strings.Builder
	for start := 0; start < len(all); {
		first, end, ok := nextHunk(all, start)
		if !ok {
			break
		}
		writeHunk(&b, all, first, end)
		start = end
	}
	return b.String()
}

func splitLines(text string) []string {
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// compareLines returns all lines of both texts. It marks the lines of a longest common
// subsequence as unchanged.
func compareLines(a, b []string) (all []diffLine) {
	first := 0
	for first < len(a) && first < len(b) && a[first] == b[first] {
		all = append(all, diffLine{' ', a[first]})
		first++
	}
	a, b = a[first:], b[first:]
	last := 0
	for last < len(a) && last < len(b) && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	tail := a[len(a)-last:]
	all = append(all, diffLines(a[:len(a)-last], b[:len(b)-last])...)
	for _, text := range tail {
		all = append(all, diffLine{' ', text})
	}
	return all
}

func diffLines(a, b []string) (all []diffLine) {
	length := commonLengths(a, b)
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case length != nil && i < len(a) && j < len(b) && a[i] == b[j]:
			all = append(all, diffLine{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (length == nil || j == len(b) || length[i+1][j] >= length[i][j+1]):
			all = append(all, diffLine{'-', a[i]})
			i++
		default:
			all = append(all, diffLine{'+', b[j]})
			j++
		}
	}
	return all
}

// commonLengths returns a table. Its entry [i][j] is the length of the longest common
// subsequence of a[i:] and b[j:]. The table is nil if it would be too large.
func commonLengths(a, b []string) [][]int32 {
	if (len(a)+1)*(len(b)+1) > maxCells {
		return nil
	}
	length := make([][]int32, len(a)+1)
	for i := range length {
		length[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	return length
}

// nextHunk returns the next range of changes with their context lines. Changes whose
// context lines touch or overlap are in the same range.
func nextHunk(all []diffLine, start int) (first, end int, ok bool) {
	for start < len(all) && all[start].mark == ' ' {
		start++
	}
	if start == len(all) {
		return 0, 0, false
	}
	last := start
	for i := start; i < len(all) && i <= last+2*contextLines+1; i++ {
		if all[i].mark != ' ' {
			last = i
		}
	}
	return max(start-contextLines, 0), min(last+contextLines+1, len(all)), true
}

func writeHunk(b *strings.Builder, all []diffLine, first, end int) {
	var old, now int
	for _, l := range all[:first] {
		countLine(l, &old, &now)
	}
	var olds, news int
	for _, l := range all[first:end] {
		countLine(l, &olds, &news)
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", old+1, olds, now+1, news)
	for _, l := range all[first:end] {
		b.WriteByte(l.mark)
		b.WriteString(l.text + "\n")
	}
}

func countLine(l diffLine, old, now *int) {
	if l.mark != '+' {
		*old++
	}
	if l.mark != '-' {
		*now++
	}
}
