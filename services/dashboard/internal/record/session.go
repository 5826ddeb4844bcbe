package record

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Session sums up the stored requests of one session. A session is the requests of one
// piece of work of one agent. Amounts are in nano-USD and cover the requests for which
// they are known.
type Session struct {
	ID string
	// Agent and User are those of the newest request that has one.
	Agent, User string
	// Started is when the first request arrived, and Ended when the last one ended.
	Started, Ended time.Time
	// Requests counts every request. SideCalls counts those of them that are no turns.
	Requests, SideCalls int64
	// Errors counts the requests that failed. A client that disconnects is no error.
	Errors int64
	// Unpriced counts the requests whose savings are unknown.
	Unpriced    int64
	Cost, Saved int64
	// Input, CacheRead and CacheWrite are the input tokens. No token counts twice.
	Input, CacheRead, CacheWrite int64
}

// Turns returns the number of requests that are no side calls.
func (s *Session) Turns() int64 { return s.Requests - s.SideCalls }

// CacheHitPercent returns the part of the input tokens that providers read from a cache, in
// percent with one decimal. ok is false if no request used input tokens.
func (s *Session) CacheHitPercent() (percent float64, ok bool) {
	all := float64(s.Input) + float64(s.CacheRead) + float64(s.CacheWrite)
	if all <= 0 {
		return 0, false
	}
	return math.Round(float64(s.CacheRead)/all*1000) / 10, true
}

// IsError reports whether a request failed. A client that disconnects is no error.
func (r *Record) IsError() bool { return r.Outcome != OutcomeOK && r.Outcome != OutcomeClientClosed }

// SessionQuery selects the sessions of one account.
type SessionQuery struct {
	// Account must not be empty: no query spans accounts.
	Account string
	// From is inclusive, To is exclusive. Zero means unbounded. A session is in the range
	// if part of it is.
	From, To time.Time
	// Agent and User select sessions with exactly this value. Empty selects all.
	Agent, User string
	// Search selects the sessions whose id contains it, ignoring the case of ASCII letters.
	Search string
	Sort   SessionSort
}

// SessionSort is the order of sessions.
type SessionSort string

// The orders. Both are descending.
const (
	SortByTime SessionSort = "time" // by the end of the session
	SortByCost SessionSort = "cost"
)

// SessionPage is one page of sessions.
type SessionPage struct {
	Items []Session
	// Next continues the list after this page; nil if there are no more sessions.
	Next *SessionCursor
}

// SessionCursor is the position right after one session. Value is the number by which the
// list is sorted: the end in microseconds, or the cost.
type SessionCursor struct {
	Value int64
	ID    string
}

// sessionCursorVersion is the first byte of every session cursor.
const sessionCursorVersion = 2

// String returns the opaque form that clients send back.
func (c *SessionCursor) String() string {
	b := append([]byte{sessionCursorVersion}, make([]byte, 0, 8+len(c.ID))...)
	b = binary.BigEndian.AppendUint64(b, uint64(c.Value))
	return base64.RawURLEncoding.EncodeToString(append(b, c.ID...))
}

// ParseSessionCursor parses the output of String. An empty string returns nil, which means
// the first page. Any other string returns INVALID_REQUEST.
func ParseSessionCursor(text string) (*SessionCursor, error) {
	if text == "" {
		return nil, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && len(b) > 9 {
		c := &SessionCursor{Value: int64(binary.BigEndian.Uint64(b[1:9])), ID: string(b[9:])}
		if c.String() == text && utf8.ValidString(c.ID) && !strings.ContainsRune(c.ID, 0) {
			return c, nil
		}
	}
	return nil, apperr.New(apperr.InvalidRequest, "the cursor is invalid; use the next_cursor of an earlier response").With("param", "cursor")
}
