package accounts

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

type auditEntryJSON struct {
	ID   int64   `json:"id"`
	Time *string `json:"time"`
	// UserID and Email are null for changes by the operator's command line and by
	// the installation itself.
	UserID  *string `json:"user_id"`
	Email   *string `json:"email"`
	Action  string  `json:"action"`
	Subject *string `json:"subject"`
	// Before and After hold only the fields that changed.
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

func toAuditEntryJSON(e *keyauthv1.AuditEvent) auditEntryJSON {
	return auditEntryJSON{
		ID: e.GetVersion(), Time: jsonvalue.FormatTimestamp(e.GetTime()), UserID: jsonvalue.NullIfZero(e.GetUserId()), Email: jsonvalue.NullIfZero(e.GetEmail()),
		Action: e.GetAction(), Subject: jsonvalue.NullIfZero(e.GetSubject()), Before: rawJSON(e.GetBeforeJson()), After: rawJSON(e.GetAfterJson()),
	}
}

// rawJSON returns null for invalid JSON, so that the other entries are still
// shown.
func rawJSON(text string) json.RawMessage {
	if !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}

// readAudit returns a page of the account's changes and the cursor of the next
// page. On the last page the cursor is empty.
func (s *API) readAudit(ctx context.Context, v *access.Viewer, p url.Values) ([]auditEntryJSON, string, error) {
	q, err := parseAuditFilter(p)
	if err != nil {
		return nil, "", err
	}
	limit, err := httpapi.ParseLimit(p.Get("limit"))
	if err != nil {
		return nil, "", err
	}
	if text := p.Get("cursor"); text != "" {
		if q.Before, err = strconv.ParseInt(text, 10, 64); err != nil || q.Before < 1 {
			return nil, "", httpapi.InvalidParam("cursor", "the cursor is invalid; use the next_cursor of an earlier response")
		}
	}
	q.Actor, q.Limit = v.Actor(), int32(limit)
	resp, err := s.Accounts.ListAudit(ctx, q)
	next := ""
	if n := resp.GetNext(); n > 0 {
		next = strconv.FormatInt(n, 10)
	}
	return jsonvalue.ConvertAll(resp.GetEvents(), toAuditEntryJSON), next, httpapi.ToAccountsError(err)
}

// auditParams are the parameters that select events.
var auditParams = []string{"action", "user", "subject", "from", "to"}

// parseAuditFilter reads the parameters that select events.
func parseAuditFilter(p url.Values) (*keyauthv1.ListAuditRequest, error) {
	for _, name := range auditParams {
		if text := p.Get(name); !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return nil, httpapi.InvalidParam(name, name+" must be a text")
		}
	}
	q := &keyauthv1.ListAuditRequest{Action: p.Get("action"), Email: p.Get("user"), Subject: p.Get("subject")}
	from, to, err := httpapi.ParseTimes(p)
	if err != nil {
		return nil, err
	}
	if !from.IsZero() {
		q.From = timestamppb.New(from)
	}
	if !to.IsZero() {
		q.To = timestamppb.New(to)
	}
	return q, nil
}

func (s *API) apiListAudit(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, append([]string{"limit", "cursor"}, auditParams...)...)
	if err != nil {
		return err
	}
	items, next, err := s.readAudit(r.Context(), v, p)
	return httpapi.WriteResult(w, http.StatusOK, map[string]any{"items": items, "next_cursor": jsonvalue.NullIfZero(next)}, err)
}
