package changes

import (
	"fmt"
	"strings"
)

const (
	// around is how many lines are shown on both sides of a difference.
	around = 3
	// maxCells bounds the work; texts that differ by more are shown as replaced.
	maxCells = 4 << 20
)

// line is one line of the comparison: in both texts (' '), in the old one alone
// ('-'), or in the new one ('+').
type line struct {
	mark byte
	text string
}

// Unified compares two texts line by line, in the format of diff -u without its
// head; empty when they are the same.
func Unified(from, to string) string {
	if from == to {
		return ""
	}
	all := compare(lines(from), lines(to))
	var b strings.Builder
	for start := 0; start < len(all); {
		first, end, ok := hunk(all, start)
		if !ok {
			break
		}
		write(&b, all, first, end)
		start = end
	}
	return b.String()
}

func lines(text string) []string {
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// compare keeps a longest common subsequence of lines.
func compare(a, b []string) (all []line) {
	first := 0
	for first < len(a) && first < len(b) && a[first] == b[first] {
		all = append(all, line{' ', a[first]})
		first++
	}
	a, b = a[first:], b[first:]
	last := 0
	for last < len(a) && last < len(b) && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	tail := a[len(a)-last:]
	all = append(all, middle(a[:len(a)-last], b[:len(b)-last])...)
	for _, text := range tail {
		all = append(all, line{' ', text})
	}
	return all
}

func middle(a, b []string) (all []line) {
	length := common(a, b)
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case length != nil && i < len(a) && j < len(b) && a[i] == b[j]:
			all = append(all, line{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (length == nil || j == len(b) || length[i+1][j] >= length[i][j+1]):
			all = append(all, line{'-', a[i]})
			i++
		default:
			all = append(all, line{'+', b[j]})
			j++
		}
	}
	return all
}

// common has at [i][j] how many lines a[i:] and b[j:] have in common; nil when
// that is too much to find out.
func common(a, b []string) [][]int32 {
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

// hunk is the next stretch with differences, whose surroundings do not meet
// those of another.
func hunk(all []line, start int) (first, end int, ok bool) {
	for start < len(all) && all[start].mark == ' ' {
		start++
	}
	if start == len(all) {
		return 0, 0, false
	}
	last := start
	for i := start; i < len(all) && i <= last+2*around+1; i++ {
		if all[i].mark != ' ' {
			last = i
		}
	}
	return max(start-around, 0), min(last+around+1, len(all)), true
}

func write(b *strings.Builder, all []line, first, end int) {
	var old, now int
	for _, l := range all[:first] {
		count(l, &old, &now)
	}
	var olds, news int
	for _, l := range all[first:end] {
		count(l, &olds, &news)
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", old+1, olds, now+1, news)
	for _, l := range all[first:end] {
		b.WriteByte(l.mark)
		b.WriteString(l.text + "\n")
	}
}

func count(l line, old, now *int) {
	if l.mark != '+' {
		*old++
	}
	if l.mark != '-' {
		*now++
	}
}
