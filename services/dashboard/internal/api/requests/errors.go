package requests

import (
	"context"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/failure"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// sampledRequests is how many of the newest requests of a group are read to find the
// endpoints that failed. The columns of the ledger do not name them.
const sampledRequests = 20

// errorsJSON lists why requests failed or were rejected, the most frequent cause first.
type errorsJSON struct {
	From        string      `json:"from"`
	To          string      `json:"to"`
	StepSeconds int64       `json:"step_seconds"`
	Requests    int64       `json:"requests"`
	Items       []causeJSON `json:"items"`
	// OtherGroups and OtherRequests count the causes that Items leaves out.
	OtherGroups   int64 `json:"other_groups"`
	OtherRequests int64 `json:"other_requests"`
	// Codes counts all requests by error code. A code can have several causes.
	Codes []errorCodeJSON `json:"codes"`
}

type errorCodeJSON struct {
	Code     *string `json:"code"`
	Requests int64   `json:"requests"`
}

type causeJSON struct {
	Code *string `json:"code"`
	// Limit is the kind of limit that rejected the requests; null for other causes.
	Limit *string `json:"limit"`
	// Subject is the key, model, rule or provider of the cause, and Name its display name.
	Subject  *string `json:"subject"`
	Name     *string `json:"name"`
	Sentence string  `json:"sentence"`
	// Action is the end of the sentence: what to do.
	Action   string `json:"action"`
	Requests int64  `json:"requests"`
	// Before counts the requests with this cause in the preceding period of the same length.
	Before int64 `json:"before"`
	// FirstSeen is the time of the first request of the range with this cause.
	FirstSeen string          `json:"first_seen"`
	LastSeen  string          `json:"last_seen"`
	NextStep  nextStepJSON    `json:"next_step"`
	Docs      string          `json:"docs"`
	Steps     []errorStepJSON `json:"steps"`
	// Filter selects the requests; null if no filter can express the subject.
	Filter *string `json:"filter"`
}

type nextStepJSON struct {
	Text string `json:"text"`
	Link string `json:"link"`
}

type errorStepJSON struct {
	Time     string `json:"time"`
	Requests int64  `json:"requests"`
}

func (s *API) apiListErrors(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "from", "to")
	if err != nil {
		return err
	}
	q, err := httpapi.ParseQuery(p, v.Account.GetId())
	if err != nil {
		return err
	}
	q = withDefaultRange(q)
	step := chooseStep(q.To.Sub(q.From))
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	sum, err := s.Ledger.Failures(ctx, q, step)
	if err != nil {
		return err
	}
	out := errorsJSON{
		From: jsonvalue.FormatTime(q.From), To: jsonvalue.FormatTime(q.To), StepSeconds: int64(step / time.Second),
		Requests: sum.Requests, OtherGroups: sum.OtherGroups, OtherRequests: sum.OtherRequests, Items: []causeJSON{},
		Codes: jsonvalue.ConvertAll(sum.Codes, func(c failure.CodeCount) errorCodeJSON {
			return errorCodeJSON{jsonvalue.NullIfZero(string(c.Code)), c.Requests}
		}),
	}
	for i := range sum.Groups {
		g := &sum.Groups[i]
		out.Items = append(out.Items, toCauseJSON(g, v.Account.GetOperator(), s.findFailedEndpoints(ctx, q, g)))
	}
	return httpapi.WriteJSON(w, http.StatusOK, out)
}

func toCauseJSON(g *failure.Group, operator bool, failed []failure.Endpoint) causeJSON {
	next := g.Next(operator)
	c := causeJSON{
		Code: jsonvalue.NullIfZero(string(g.Code)), Limit: jsonvalue.NullIfZero(string(g.Limit)), Subject: jsonvalue.NullIfZero(g.Subject),
		Name: jsonvalue.NullIfZero(g.Name), Sentence: g.Sentence(operator, failed), Action: g.Action(operator), Requests: g.Requests, Before: g.Before,
		FirstSeen: jsonvalue.FormatTime(g.Oldest), LastSeen: jsonvalue.FormatTime(g.Newest), NextStep: nextStepJSON(next), Docs: failure.DocsLink(g.Code),
		Steps: jsonvalue.ConvertAll(g.Steps, func(s failure.Step) errorStepJSON {
			return errorStepJSON{jsonvalue.FormatTime(s.Start), s.Requests}
		}),
	}
	if filter, ok := g.Filter(); ok {
		c.Filter = &filter
	}
	return c
}

// findFailedEndpoints returns the endpoints at which the newest requests of a group failed,
// the most frequent first. Without them the sentence is still true, so errors are ignored.
func (s *API) findFailedEndpoints(ctx context.Context, q record.Query, g *failure.Group) (all []failure.Endpoint) {
	filter, ok := g.Filter()
	if !g.FailsAtProvider() || !ok {
		return nil
	}
	terms, err := record.ParseFilter(filter)
	if err != nil {
		return nil
	}
	q.Terms = terms
	page, err := s.Ledger.Page(ctx, q, nil, sampledRequests)
	if err != nil {
		return nil
	}
	for _, e := range record.SumAttempts(page.Items) {
		if e.FailedAttempts() > 0 {
			all = append(all, failure.Endpoint{Provider: e.Provider, Model: e.Model})
		}
	}
	return all
}
