package record

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Running is a request in progress. The record has what is known before the first
// upstream call; Model and Provider are the candidate that is called first.
type Running struct {
	Record
	Elapsed time.Duration
}

// MatchesRunning reports whether a request in progress belongs to a query. If a term
// tests something that is known only at the end, such as the cost or the model that
// served, no request in progress matches.
func (q Query) MatchesRunning(r *Running) bool {
	if r.AccountID != q.Account || r.Time.Before(q.From) || !q.To.IsZero() && !r.Time.Before(q.To) {
		return false
	}
	return !slices.ContainsFunc(q.Terms, func(t Term) bool { return !t.matchesRunning(r) })
}

func (t Term) matchesRunning(r *Running) bool {
	values, known := r.knownValues(t.Field)
	if !known {
		return false
	}
	found := slices.ContainsFunc(t.Tests, func(x Test) bool {
		return slices.ContainsFunc(values, func(value string) bool { return x.matchesText(value) })
	})
	return found != t.Not
}

// knownValues returns the values of a field that a request has from its start.
func (r *Running) knownValues(f Field) (values []string, known bool) {
	switch f {
	case ByKey:
		return []string{r.KeyID, r.KeyName}, true
	case ByRequestedModel:
		return []string{r.RequestedModel}, true
	case ByProtocol:
		return []string{string(r.Protocol)}, true
	case ByAgent:
		return []string{r.Agent}, true
	case BySession:
		return []string{r.Session}, true
	case ByUser:
		return []string{r.User}, true
	case ByStream:
		return []string{strconv.FormatBool(r.Stream)}, true
	case ByID:
		return []string{r.ID.String()}, true
	}
	return nil, false
}

func (x Test) matchesText(value string) bool {
	switch x.Op {
	case Equal:
		return value == x.Text
	case Prefix:
		return strings.HasPrefix(value, x.Text)
	case Any:
		return value != ""
	}
	return false
}
