package golden

import (
	"errors"
	"fmt"
	"strings"
)

// Difference describes how text differs from base. The pairs of replace are replaced in
// base before the texts are compared. Apply restores the text.
//
// Lines that start with - are only in base, those with + only in text, and those with a
// space in both. "... 3 lines" stands for lines that are equal.
func Difference(base, text string, replace ...string) string {
	var b strings.Builder
	replace = relevantPairs(base, replace)
	for i := 0; i < len(replace); i += 2 {
		fmt.Fprintf(&b, replaceFormat, replace[i], replace[i+1])
	}
	all := compareLines(splitLines(strings.NewReplacer(replace...).Replace(base)), splitLines(text))
	isShown := markShown(all)
	skipped := 0
	for i, line := range all {
		if !isShown[i] {
			skipped++
			continue
		}
		b.WriteString(formatSkipped(skipped) + string(line.mark) + terminate(line.text))
		skipped = 0
	}
	return b.String() + formatSkipped(skipped)
}

const (
	replaceFormat = "replace %q with %q\n"
	skippedFormat = "... %d lines\n"
)

func formatSkipped(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(skippedFormat, n)
}

// relevantPairs returns the pairs whose first text occurs in base.
func relevantPairs(base string, pairs []string) (relevant []string) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] != "" && pairs[i] != pairs[i+1] && strings.Contains(base, pairs[i]) {
			relevant = append(relevant, pairs[i], pairs[i+1])
		}
	}
	return relevant
}

// Apply returns the text that Difference compared with base. It returns an error if base is
// not the same text as then.
func Apply(base, difference string) (string, error) {
	lines := splitLines(difference)
	replace, lines := cutReplacements(lines)
	p := patch{base: splitLines(strings.NewReplacer(replace...).Replace(base))}
	for i, line := range lines {
		if line == noNewline {
			continue
		}
		if i+1 < len(lines) && lines[i+1] == noNewline {
			line = strings.TrimSuffix(line, "\n")
		}
		if !p.apply(line) {
			return "", fmt.Errorf("the difference does not fit the base: %q", line)
		}
	}
	if len(p.base) > 0 {
		return "", errors.New("the difference ends before the base")
	}
	return p.text.String(), nil
}

// cutReplacements returns the pairs at the start of a difference, and the lines after them.
func cutReplacements(lines []string) (pairs, rest []string) {
	for i, line := range lines {
		var from, to string
		if _, err := fmt.Sscanf(line, replaceFormat, &from, &to); err != nil {
			return pairs, lines[i:]
		}
		pairs = append(pairs, from, to)
	}
	return pairs, nil
}
