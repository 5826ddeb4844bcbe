package golden

import "strings"

// The marks of a line that was compared.
const (
	isSame    = ' '
	isRemoved = '-'
	isAdded   = '+'
)

// markedLine is a line of one or both texts, with its newline.
type markedLine struct {
	mark byte
	text string
}

func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// compareLines returns the lines of both texts in order. It keeps a longest common
// subsequence of lines.
func compareLines(a, b []string) (all []markedLine) {
	length := commonLengths(a, b)
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			all = append(all, markedLine{isSame, a[i]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || length[i+1][j] >= length[i][j+1]):
			all = append(all, markedLine{isRemoved, a[i]})
			i++
		default:
			all = append(all, markedLine{isAdded, b[j]})
			j++
		}
	}
	return all
}

// commonLengths returns at [i][j] how many lines a[i:] and b[j:] have in common. The
// table suits texts of some thousand lines.
func commonLengths(a, b []string) [][]int32 {
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

// markShown returns which lines a difference shows: changes and one line of context on each
// side. It shows a single line too, instead of "... 1 lines".
func markShown(all []markedLine) []bool {
	isShown := make([]bool, len(all))
	for i, line := range all {
		if line.mark != isSame {
			for j := max(0, i-1); j < min(len(all), i+2); j++ {
				isShown[j] = true
			}
		}
	}
	for i := range all {
		startsHere, endsHere := i == 0 || isShown[i-1], i+1 == len(all) || isShown[i+1]
		isShown[i] = isShown[i] || startsHere && endsHere
	}
	return isShown
}
