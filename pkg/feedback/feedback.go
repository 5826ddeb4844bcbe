// Package feedback defines what clients may say about the responses that they got: a
// score from 0 to 1 or a verdict, with a reason and a source. Parse reads the JSON of the
// API and names the first item and field that are invalid. The proxy, the dashboard and
// the command line use it, so that all of them accept the same feedback.
package feedback

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// The limits of feedback. Sizes are in bytes.
const (
	MaxItems  = 1000
	MaxReason = 1000
	MaxSource = 64
	// MaxScore is the stored score of a perfect response. Scores are stored in thousandths.
	MaxScore = 1000
)

// DefaultSource is the source of feedback that names none.
const DefaultSource = "api"

// The prefixes of sources that only Signalbox itself uses. A client cannot use them, so
// that it cannot replace the feedback of a person in the dashboard.
const (
	DashboardPrefix = "dashboard:"
	SignalPrefix    = "signal:"
)

// Item is the feedback of one source on one request.
type Item struct {
	RequestID uuid.UUID
	// Score is from 0 (bad) to MaxScore (good).
	Score  int64
	Reason string
	Source string
}

// Fields are the fields of an item as a client sends them. Nil means that the field is
// missing.
type Fields struct {
	RequestID *string  `json:"request_id,omitempty"`
	Score     *float64 `json:"score,omitempty"`
	Verdict   *string  `json:"verdict,omitempty"`
	Reason    *string  `json:"reason,omitempty"`
	Source    *string  `json:"source,omitempty"`
}

// Problem is the first invalid field of a list.
type Problem struct {
	// Index is the position of the item in the list. It is -1 if the list as a whole is
	// invalid.
	Index int
	// Field is the name of the field, or empty.
	Field string
	Text  string
}

func (p *Problem) Error() string {
	if p.Index < 0 {
		return p.Text
	}
	return fmt.Sprintf("item %d: %s", p.Index, p.Text)
}

// Check converts the fields of one item. A missing source becomes defaultSource. Its
// error is a *Problem without an index.
func (f Fields) Check(defaultSource string) (Item, error) {
	item := Item{Source: defaultSource}
	if f.RequestID == nil {
		return item, invalid("request_id", "request_id is missing; use the x-request-id of the response")
	}
	var ok bool
	if item.RequestID, ok = parseID(*f.RequestID); !ok {
		return item, invalid("request_id", "request_id must be the x-request-id of a response")
	}
	if err := f.readScore(&item); err != nil {
		return item, err
	}
	return item, f.readTexts(&item)
}

// parseID accepts only the canonical form, so that an id has one spelling.
func parseID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && id.Version() == 7 && id.String() == text
}

func (f Fields) readScore(item *Item) error {
	switch {
	case f.Score == nil && f.Verdict == nil:
		return invalid("score", "send a score from 0 to 1, or the verdict up or down")
	case f.Score != nil && f.Verdict != nil:
		return invalid("verdict", "send either score or verdict, not both")
	case f.Score != nil && (math.IsNaN(*f.Score) || *f.Score < 0 || *f.Score > 1):
		return invalid("score", "score must be a number from 0 to 1")
	case f.Score != nil:
		item.Score = int64(math.Round(*f.Score * MaxScore))
	case *f.Verdict == "up":
		item.Score = MaxScore
	case *f.Verdict != "down":
		return invalid("verdict", "verdict must be up or down")
	}
	return nil
}

func (f Fields) readTexts(item *Item) error {
	if f.Reason != nil {
		if len(*f.Reason) > MaxReason || !utf8.ValidString(*f.Reason) {
			return invalid("reason", fmt.Sprintf("reason must have at most %d bytes", MaxReason))
		}
		item.Reason = strings.ReplaceAll(*f.Reason, "\x00", "")
	}
	if f.Source == nil {
		return nil
	}
	item.Source = *f.Source
	switch {
	case !isPlainName(item.Source):
		return invalid("source", fmt.Sprintf("source must have 1 to %d printable bytes", MaxSource))
	case strings.HasPrefix(item.Source, DashboardPrefix), strings.HasPrefix(item.Source, SignalPrefix):
		return invalid("source", "sources that begin with "+DashboardPrefix+" or "+SignalPrefix+" are reserved")
	}
	return nil
}

func isPlainName(s string) bool {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	return s != "" && len(s) <= MaxSource && utf8.ValidString(s) && !strings.ContainsFunc(s, unprintable)
}

func invalid(field, text string) error { return &Problem{Index: -1, Field: field, Text: text} }
