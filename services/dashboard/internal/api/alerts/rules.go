package alerts

import (
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
	rule, channels, err := s.readRule(w, r, v)
	if err != nil {
		return err
	}
	rule.ID = uuid.NewString()
	if err := s.Store.CreateAlertRule(r.Context(), rule); err != nil {
		return err
	}
	s.record(r, v, "create", rule.ID, nil, ruleFields(rule, channels))
	return httpapi.WriteJSON(w, http.StatusCreated, toRuleJSON(rule))
}

func (s *API) apiUpdateRule(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	rule, channels, err := s.readRule(w, r, v)
	if err != nil {
		return err
	}
	old, err := s.findRule(r, v)
	if err != nil {
		return err
	}
	rule.ID = old.ID
	if err := s.Store.UpdateAlertRule(r.Context(), rule); err != nil {
		return err
	}
	s.record(r, v, "update", rule.ID, ruleFields(old, channels), ruleFields(rule, channels))
	return httpapi.WriteJSON(w, http.StatusOK, toRuleJSON(rule))
}

func (s *API) apiDeleteRule(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	rule, err := s.findRule(r, v)
	if err != nil {
		return err
	}
	channels, err := s.Store.AlertChannels(r.Context(), rule.AccountID)
	if err != nil {
		return err
	}
	if err := s.Store.DeleteAlertRule(r.Context(), rule.AccountID, rule.ID); err != nil {
		return err
	}
	s.record(r, v, "delete", rule.ID, ruleFields(rule, channels), nil)
	return httpapi.WriteNoContent(w, nil)
}

func (s *API) findRule(r *http.Request, v *access.Viewer) (alert.Rule, error) {
	id, err := httpapi.ParsePathID(r, "alert")
	if err != nil {
		return alert.Rule{}, err
	}
	rules, err := s.Store.AlertRules(r.Context(), v.Account.GetId())
	if err != nil {
		return alert.Rule{}, err
	}
	for _, rule := range rules {
		if rule.ID == id {
			return rule, nil
		}
	}
	return alert.Rule{}, httpapi.NotFoundError("alert")
}

// readRule returns the valid rule of a request, without an id, and the channels of the account.
func (s *API) readRule(w http.ResponseWriter, r *http.Request, v *access.Viewer) (alert.Rule, []alert.Channel, error) {
	var b ruleBody
	if err := httpapi.ReadJSON(w, r, &b); err != nil {
		return alert.Rule{}, nil, err
	}
	if b.WindowSeconds < 0 || b.WindowSeconds > maxWindow {
		return alert.Rule{}, nil, httpapi.InvalidParam("window_seconds", "this kind of alert does not support this window")
	}
	rule := alert.Rule{
		AccountID: v.Account.GetId(), Name: strings.TrimSpace(b.Name), Kind: alert.Kind(b.Kind), Threshold: b.Threshold,
		Window: time.Duration(b.WindowSeconds) * time.Second, MinRequests: b.MinRequests, Enabled: b.Enabled, Channels: b.Channels,
		AuthorID: v.User.GetId(), Author: v.User.GetEmail(), Updated: now(),
	}
	channels, err := s.Store.AlertChannels(r.Context(), rule.AccountID)
	if err != nil {
		return alert.Rule{}, nil, err
	}
	ids := make([]string, len(channels))
	for i, c := range channels {
		ids[i] = c.ID
	}
	return rule, channels, rule.Validate(v.Account.GetOperator(), ids)
}
