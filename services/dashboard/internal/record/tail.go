package record

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Position is a place in the order in which records became visible: before a
// transaction that stored some, or after that many of its records.
type Position struct{ Commit, Row int64 }

// String is the opaque form that readers pass back.
func (p Position) String() string { return fmt.Sprintf("%d-%d", p.Commit, p.Row) }

// Before reports whether p comes before o.
func (p Position) Before(o Position) bool {
	return p.Commit < o.Commit || p.Commit == o.Commit && p.Row < o.Row
}

// ParsePosition reads what String wrote. Anything else is INVALID_REQUEST.
func ParsePosition(text string) (Position, error) {
	commit, row, _ := strings.Cut(text, "-")
	var p Position
	var errs [2]error
	p.Commit, errs[0] = strconv.ParseInt(commit, 10, 64)
	p.Row, errs[1] = strconv.ParseInt(row, 10, 64)
	if errs[0] != nil || errs[1] != nil || p.Commit < 0 || p.Row < 0 || p.String() != text {
		return Position{}, apperr.New(apperr.InvalidRequest, "the position is not one of ours").With("param", "position")
	}
	return p, nil
}

// Tail is what has become visible after a position, in that order.
type Tail struct {
	Items []Tailed
	// Next is where to go on. It moves also when nothing matched. More is
	// whether there is something there already.
	Next Position
	More bool
	// Gap is whether records may have been missed, because the position is
	// older than what is remembered: then there are no items, Next is the
	// newest position, and the reader begins again with a page.
	Gap bool
}

// Tailed is a record and the position right after it.
type Tailed struct {
	Position
	Record
}
