package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
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
		ID: e.GetVersion(), Time: formatTimestamp(e.GetTime()), UserID: nullIfZero(e.GetUserId()), Email: nullIfZero(e.GetEmail()),
		Action: e.GetAction(), Subject: nullIfZero(e.GetSubject()), Before: rawJSON(e.GetBeforeJson()), After: rawJSON(e.GetAfterJson()),
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
func (s *server) readAudit(ctx context.Context, v *viewer, p url.Values) ([]auditEntryJSON, string, error) {
	limit, err := parseLimit(p.Get("limit"))
	if err != nil {
		return nil, "", err
	}
	var before int64
	if text := p.Get("cursor"); text != "" {
		if before, err = strconv.ParseInt(text, 10, 64); err != nil || before < 1 {
			return nil, "", invalidParam("cursor", "the cursor is invalid; use the next_cursor of an earlier response")
		}
	}
	resp, err := s.Accounts.ListAudit(ctx, &keyauthv1.ListAuditRequest{Actor: v.actor(), Before: before, Limit: int32(limit)})
	next := ""
	if n := resp.GetNext(); n > 0 {
		next = strconv.FormatInt(n, 10)
	}
	return convertAll(resp.GetEvents(), toAuditEntryJSON), next, toAccountsError(err)
}

func (s *server) apiListAudit(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := parseParams(r, "limit", "cursor")
	if err != nil {
		return err
	}
	items, next, err := s.readAudit(r.Context(), v, p)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"items": items, "next_cursor": nullIfZero(next)})
}

func (s *server) apiListAccounts(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := parseParams(r, "limit", "cursor")
	if err != nil {
		return err
	}
	limit, err := parseLimit(p.Get("limit"))
	if err != nil {
		return err
	}
	resp, err := s.Accounts.ListAccounts(r.Context(), &keyauthv1.ListAccountsRequest{
		Actor: v.actor(), After: validText(p.Get("cursor")), Limit: int32(limit),
	})
	if err = toAccountsError(err); err != nil {
		return err
	}
	items := convertAll(resp.GetAccounts(), func(a *keyauthv1.Account) accountJSON { return toAccountJSON(a).redactWebhook() })
	return writeJSON(w, http.StatusOK, map[string]any{"items": items, "next_cursor": nullIfZero(resp.GetNext())})
}
