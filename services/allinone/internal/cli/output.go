package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode"
)

// List is a list in the JSON format of the API.
type List[T any] struct {
	Items []T `json:"items"`
}

// PrintResult prints v as JSON if asJSON is set. Otherwise it prints the rows as a table.
func (c Invocation) PrintResult(asJSON bool, v any, rows ...[]string) error {
	if asJSON {
		e := json.NewEncoder(c.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(v)
	}
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = Sanitize(cell)
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "\t"), "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

// Sanitize replaces unprintable characters, so that text from other users cannot control the terminal.
func Sanitize(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}

// CountNoun returns a count with its noun, such as "1 row" or "2 rows".
func CountNoun(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
