package requests

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/recordjson"
)

// sessionJSON sums up one session of an agent. Amounts cover the requests for which they
// are known.
type sessionJSON struct {
	ID      string  `json:"id"`
	Agent   *string `json:"agent"`
	User    *string `json:"user"`
	Started string  `json:"started"`
	Ended   string  `json:"ended"`
	// Requests is the sum of Turns and SideCalls.
	Requests     int64 `json:"requests"`
	Turns        int64 `json:"turns"`
	SideCalls    int64 `json:"side_calls"`
	Errors       int64 `json:"errors"`
	Unpriced     int64 `json:"unpriced"`
	CostNanoUSD  int64 `json:"cost_nano_usd"`
	SavedNanoUSD int64 `json:"saved_nano_usd"`
	// CacheHitPercent is null if no request used input tokens.
	CacheHitPercent *float64 `json:"cache_hit_percent"`
}

type sessionsJSON struct {
	Items      []sessionJSON `json:"items"`
	NextCursor *string       `json:"next_cursor"`
}

// sessionDetailJSON is one session with a page of its requests, oldest first.
type sessionDetailJSON struct {
	sessionJSON
	Timeline *recordjson.Page `json:"timeline"`
}

func (s *API) apiListSessions(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "from", "to", "agent", "user", "search", "sort", "limit", "cursor")
	if err != nil {
		return err
	}
	page, err := s.readSessions(r.Context(), v, p)
	out := sessionsJSON{Items: jsonvalue.ConvertAll(page.Items, toSessionJSON)}
	if page.Next != nil {
		out.NextCursor = jsonvalue.NullIfZero(page.Next.String())
	}
	return httpapi.WriteResult(w, http.StatusOK, out, err)
}

func (s *API) readSessions(ctx context.Context, v *access.Viewer, p url.Values) (record.SessionPage, error) {
	q, err := parseSessionQuery(p, v.Account.GetId())
	if err != nil {
		return record.SessionPage{}, err
	}
	limit, err := httpapi.ParseLimit(p.Get("limit"))
	if err != nil {
		return record.SessionPage{}, err
	}
	after, err := record.ParseSessionCursor(p.Get("cursor"))
	if err != nil {
		return record.SessionPage{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	return s.Ledger.Sessions(ctx, q, after, limit)
}

func parseSessionQuery(p url.Values, account string) (record.SessionQuery, error) {
	in, err := httpapi.ParseQuery(p, account)
	if err != nil {
		return record.SessionQuery{}, err
	}
	for _, name := range []string{"agent", "user", "search"} {
		if err := checkText(name, p.Get(name)); err != nil {
			return record.SessionQuery{}, err
		}
	}
	q := record.SessionQuery{
		Account: account, From: in.From, To: in.To, Agent: p.Get("agent"), User: p.Get("user"), Search: p.Get("search"), Sort: record.SortByTime,
	}
	switch sort := record.SessionSort(p.Get("sort")); sort {
	case "":
	case record.SortByTime, record.SortByCost:
		q.Sort = sort
	default:
		return q, httpapi.InvalidParam("sort", fmt.Sprintf("sort cannot be %q; use one of the allowed values", sort)).
			With("allowed", []record.SessionSort{record.SortByTime, record.SortByCost})
	}
	return q, nil
}

// maxTextBytes limits the length of a value to search for. No stored value is longer.
const maxTextBytes = 256

func checkText(name, text string) error {
	if len(text) > maxTextBytes || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return httpapi.InvalidParam(name, fmt.Sprintf("%s must be a text of at most %d bytes without control characters", name, maxTextBytes))
	}
	return nil
}

func (s *API) apiGetSession(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "limit", "cursor")
	if err != nil {
		return err
	}
	limit, err := httpapi.ParseLimit(p.Get("limit"))
	if err != nil {
		return err
	}
	after, err := record.ParseCursor(p.Get("cursor"))
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	if checkText("id", id) != nil {
		return httpapi.NotFoundError("session")
	}
	detail, err := s.readSession(r.Context(), v.Account.GetId(), id, after, limit)
	return httpapi.WriteResult(w, http.StatusOK, detail, err)
}

func (s *API) readSession(ctx context.Context, account, id string, after *record.Cursor, limit int) (sessionDetailJSON, error) {
	ctx, cancel := context.WithTimeout(ctx, readlimit.Timeout)
	defer cancel()
	found, err := s.Ledger.Session(ctx, account, id)
	if err != nil {
		return sessionDetailJSON{}, err
	}
	page, err := s.Ledger.SessionRequests(ctx, account, id, after, limit)
	return sessionDetailJSON{toSessionJSON(found), recordjson.ToPage(page)}, err
}

func toSessionJSON(s record.Session) sessionJSON {
	out := sessionJSON{
		ID: s.ID, Agent: jsonvalue.NullIfZero(s.Agent), User: jsonvalue.NullIfZero(s.User),
		Started: jsonvalue.FormatTime(s.Started), Ended: jsonvalue.FormatTime(s.Ended),
		Requests: s.Requests, Turns: s.Turns(), SideCalls: s.SideCalls, Errors: s.Errors, Unpriced: s.Unpriced,
		CostNanoUSD: s.Cost, SavedNanoUSD: s.Saved,
	}
	if percent, ok := s.CacheHitPercent(); ok {
		out.CacheHitPercent = &percent
	}
	return out
}
