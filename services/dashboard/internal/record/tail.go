package record

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Position is a position in commit order. Commit is the number of a transaction.
// If Row is 0, the position is before all records of the transaction. Otherwise
// it is after the first Row records of the transaction.
type Position struct{ Commit, Row int64 }

// String returns the opaque form that clients send back.
func (p Position) String() string { return fmt.Sprintf("%d-%d", p.Commit, p.Row) }

// Before reports whether p comes before o.
func (p Position) Before(o Position) bool {
	return p.Commit < o.Commit || p.Commit == o.Commit && p.Row < o.Row
}

// ParsePosition parses the output of String. Any other string returns
// INVALID_REQUEST.
func ParsePosition(text string) (Position, error) {
	commit, row, _ := strings.Cut(text, "-")
	var p Position
	var errs [2]error
	p.Commit, errs[0] = strconv.ParseInt(commit, 10, 64)
	p.Row, errs[1] = strconv.ParseInt(row, 10, 64)
	if errs[0] != nil || errs[1] != nil || p.Commit < 0 || p.Row < 0 || p.String() != text {
		return Position{}, apperr.New(apperr.InvalidRequest, "the position is invalid; reload the page to start again").With("param", "position")
	}
	return p, nil
}

// Tail holds the records committed after a position, in commit order.
type Tail struct {
	Items []TailItem
	// Next is the position to continue from. It advances even if no record matched.
	Next Position
	// More is true if further records are already available after Next.
	More bool
	// Gap is true if records may have been missed: the feed (the list of recent
	// commits) no longer reaches back to the position, or an older backup was restored.
	// Items is then empty, and Next is the position after the newest commit. The reader
	// must reload a page.
	Gap bool
}

// TailItem is a record and the position right after it.
type TailItem struct {
	Position
	Record
}
