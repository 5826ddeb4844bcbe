package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// changeJSON is one change of the audit trail.
type changeJSON struct {
	ID   int64   `json:"id"`
	Time *string `json:"time"`
	// UserID and Email are null for the operator's command line and for the
	// installation itself.
	UserID  *string `json:"user_id"`
	Email   *string `json:"email"`
	Action  string  `json:"action"`
	Subject *string `json:"subject"`
	// Before and After hold the members that changed.
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

func toChangeJSON(e *keyauthv1.AuditEvent) changeJSON {
	return changeJSON{
		ID: e.GetVersion(), Time: stampText(e.GetTime()), UserID: orNull(e.GetUserId()), Email: orNull(e.GetEmail()),
		Action: e.GetAction(), Subject: orNull(e.GetSubject()), Before: rawJSON(e.GetBeforeJson()), After: rawJSON(e.GetAfterJson()),
	}
}

// rawJSON is null for what is not JSON: the rest of the page is still true.
func rawJSON(text string) json.RawMessage {
	if !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}

// audit is a page of the account's changes, and the cursor of the next one,
// which is empty on the last.
func (s *server) audit(ctx context.Context, v *viewer, p url.Values) ([]changeJSON, string, error) {
	limit, err := parseLimit(p.Get("limit"))
	if err != nil {
		return nil, "", err
	}
	var before int64
	if text := p.Get("cursor"); text != "" {
		if before, err = strconv.ParseInt(text, 10, 64); err != nil || before < 1 {
			return nil, "", badParam("cursor", "cursor is not one that was given")
		}
	}
	resp, err := s.Accounts.ListAudit(ctx, &keyauthv1.ListAuditRequest{Actor: v.actor(), Before: before, Limit: int32(limit)})
	next := ""
	if n := resp.GetNext(); n > 0 {
		next = strconv.FormatInt(n, 10)
	}
	return each(resp.GetEvents(), toChangeJSON), next, peer(err)
}

func (s *server) apiAudit(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := params(r, "limit", "cursor")
	if err != nil {
		return err
	}
	items, next, err := s.audit(r.Context(), v, p)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"items": items, "next_cursor": orNull(next)})
}

// apiAccounts lists every account of the installation.
func (s *server) apiAccounts(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := params(r, "limit", "cursor")
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
	if err = peer(err); err != nil {
		return err
	}
	items := each(resp.GetAccounts(), func(a *keyauthv1.Account) accountJSON { return toAccountJSON(a).discreet() })
	return writeJSON(w, http.StatusOK, map[string]any{"items": items, "next_cursor": orNull(resp.GetNext())})
}
