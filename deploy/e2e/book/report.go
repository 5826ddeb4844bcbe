package book

import (
	"fmt"
	"strings"
)

// Kind is what is wrong with a line.
type Kind string

// The kinds of differences.
const (
	// Lost is a request or a call without a row.
	Lost Kind = "lost"
	// Doubled is a request with several rows.
	Doubled Kind = "doubled"
	// Phantom is a row without a request, or a call that no client asked for.
	Phantom Kind = "phantom"
	// Failed is a request that a client was let down with.
	Failed Kind = "failed"
	// Money is an amount or a count of tokens that is not what was used.
	Money Kind = "money"
	// Outcome is a row that tells of another end than the client saw.
	Outcome Kind = "outcome"
	// Total is a sum that is not the sum of its rows.
	Total Kind = "total"
)

// shown is how many differences are printed.
const shown = 20

// Difference is one disagreement between books.
type Difference struct {
	Kind Kind
	// Name is the request's id, or its mark where it has none.
	Name string
	Text string
}

func (d Difference) String() string { return fmt.Sprintf("%-8s %s: %s", d.Kind, d.Name, d.Text) }

// Report is what a comparison found.
type Report struct {
	Requests, Calls, Rows int
	Differences           []Difference
}

// Exact is whether the books agree.
func (r *Report) Exact() bool { return len(r.Differences) == 0 }

// Count is how many differences are of a kind.
func (r *Report) Count(k Kind) int {
	n := 0
	for _, d := range r.Differences {
		if d.Kind == k {
			n++
		}
	}
	return n
}

func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d requests, %d calls, %d rows, %d differences\n", r.Requests, r.Calls, r.Rows, len(r.Differences))
	for _, d := range r.Differences[:min(shown, len(r.Differences))] {
		fmt.Fprintln(&b, d)
	}
	if more := len(r.Differences) - shown; more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	return b.String()
}

func (r *Report) add(k Kind, name, format string, args ...any) {
	r.Differences = append(r.Differences, Difference{Kind: k, Name: name, Text: fmt.Sprintf(format, args...)})
}
