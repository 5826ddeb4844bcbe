package alerts

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

// maxWindow avoids an overflow of a duration. The kinds allow far shorter windows.
const maxWindow = 1_000_000

type ruleBody struct {
	Name          string   `json:"name"`
	Kind          string   `json:"kind"`
	Threshold     float64  `json:"threshold"`
	WindowSeconds int64    `json:"window_seconds"`
	MinRequests   int64    `json:"min_requests"`
	Enabled       bool     `json:"enabled"`
	Channels      []string `json:"channels"`
}

func (s *API) apiCreateRule(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	rule, err := s.readRule(w, r, v)
	if err != nil {
		return err
	}
	rule.ID = uuid.NewString()
	return httpapi.WriteResult(w, http.StatusCreated, toRuleJSON(rule), s.Store.CreateAlertRule(r.Context(), rule))
}

func (s *API) apiUpdateRule(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	rule, err := s.readRule(w, r, v)
	if err != nil {
		return err
	}
	if rule.ID, err = httpapi.ParsePathID(r, "alert"); err != nil {
		return err
	}
	return httpapi.WriteResult(w, http.StatusOK, toRuleJSON(rule), s.Store.UpdateAlertRule(r.Context(), rule))
}

func (s *API) apiDeleteRule(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	id, err := httpapi.ParsePathID(r, "alert")
	if err != nil {
		return err
	}
	return httpapi.WriteNoContent(w, s.Store.DeleteAlertRule(r.Context(), v.Account.GetId(), id))
}

// readRule returns the valid rule of a request, without an id.
func (s *API) readRule(w http.ResponseWriter, r *http.Request, v *access.Viewer) (alert.Rule, error) {
	var b ruleBody
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return alert.Rule{}, err
	}
	if b.WindowSeconds < 0 || b.WindowSeconds > maxWindow {
		return alert.Rule{}, httpapi.InvalidParam("window_seconds", "this kind of alert does not support this window")
	}
	rule := alert.Rule{
		AccountID: v.Account.GetId(), Name: strings.TrimSpace(b.Name), Kind: alert.Kind(b.Kind), Threshold: b.Threshold,
		Window: time.Duration(b.WindowSeconds) * time.Second, MinRequests: b.MinRequests, Enabled: b.Enabled, Channels: b.Channels,
		AuthorID: v.User.GetId(), Author: v.User.GetEmail(), Updated: now(),
	}
	channels, err := s.channelIDs(r.Context(), rule.AccountID)
	if err != nil {
		return alert.Rule{}, err
	}
	return rule, rule.Validate(v.Account.GetOperator(), channels)
}

func (s *API) channelIDs(ctx context.Context, account string) (ids []string, err error) {
	all, err := s.Store.AlertChannels(ctx, account)
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return ids, err
}
