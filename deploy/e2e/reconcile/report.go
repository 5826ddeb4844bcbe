package reconcile

import (
	"fmt"
	"strings"
)

// Kind classifies a difference.
type Kind string

// The kinds of differences.
const (
	// Lost means that a request or a call has no row.
	Lost Kind = "lost"
	// Doubled means that a request has several rows.
	Doubled Kind = "doubled"
	// Phantom means that a row or a call belongs to no request.
	Phantom Kind = "phantom"
	// Failed means that a client did not get the expected response.
	Failed Kind = "failed"
	// Money means that an amount or token count is wrong.
	Money Kind = "money"
	// Outcome means that the row's outcome contradicts what the client saw.
	Outcome Kind = "outcome"
	// Total means that a total that the ledger reports differs from the sum of its rows.
	Total Kind = "total"
)

// maxPrinted is the maximum number of differences to print.
const maxPrinted = 20

// Difference is one mismatch.
type Difference struct {
	Kind Kind
	// Name is the id of the request, or its mark if it has no id.
	Name string
	Text string
}

func (d Difference) String() string { return fmt.Sprintf("%-8s %s: %s", d.Kind, d.Name, d.Text) }

// Report is the result of Compare.
type Report struct {
	Requests, Calls, Rows int
	Differences           []Difference
}

// IsExact reports whether there is no difference.
func (r *Report) IsExact() bool { return len(r.Differences) == 0 }

// Count returns the number of differences of a kind.
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
	for _, d := range r.Differences[:min(maxPrinted, len(r.Differences))] {
		fmt.Fprintln(&b, d)
	}
	if more := len(r.Differences) - maxPrinted; more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	return b.String()
}

func (r *Report) addDifference(k Kind, name, format string, args ...any) {
	r.Differences = append(r.Differences, Difference{Kind: k, Name: name, Text: fmt.Sprintf(format, args...)})
}
