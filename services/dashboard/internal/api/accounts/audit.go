package accounts

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

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
	limit, err := httpapi.ParseLimit(p.Get("limit"))
	if err != nil {
		return nil, "", err
	}
	var before int64
	if text := p.Get("cursor"); text != "" {
		if before, err = strconv.ParseInt(text, 10, 64); err != nil || before < 1 {
			return nil, "", httpapi.InvalidParam("cursor", "the cursor is invalid; use the next_cursor of an earlier response")
		}
	}
	resp, err := s.Accounts.ListAudit(ctx, &keyauthv1.ListAuditRequest{Actor: v.Actor(), Before: before, Limit: int32(limit)})
	next := ""
	if n := resp.GetNext(); n > 0 {
		next = strconv.FormatInt(n, 10)
	}
	return jsonvalue.ConvertAll(resp.GetEvents(), toAuditEntryJSON), next, httpapi.ToAccountsError(err)
}

func (s *API) apiListAudit(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "limit", "cursor")
	if err != nil {
		return err
	}
	items, next, err := s.readAudit(r.Context(), v, p)
	return httpapi.WriteResult(w, http.StatusOK, map[string]any{"items": items, "next_cursor": jsonvalue.NullIfZero(next)}, err)
}
