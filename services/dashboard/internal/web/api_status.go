package web

import (
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

type targetJSON struct {
	Provider    string  `json:"provider"`
	Model       string  `json:"model"`
	Succeeded   int64   `json:"succeeded"`
	Failed      int64   `json:"failed"`
	LastCode    *string `json:"last_code"`
	LastFailure *string `json:"last_failure"`
	// Down is why decisions leave it out, as its breaker is open.
	Down *string `json:"down"`
	// FirstToken is after how long it is expected.
	FirstToken *int64 `json:"first_token_us"`
}

func (s *server) apiProviders(w http.ResponseWriter, r *http.Request, _ *viewer) error {
	resp, err := s.Router.Status(r.Context(), &routerv1.StatusRequest{})
	err = reached(err, apperr.New(apperr.RoutingUnavailable, "the router cannot be reached"))
	if err != nil {
		return err
	}
	items := []targetJSON{}
	for _, t := range resp.GetTargets() {
		items = append(items, targetJSON{
			Provider: t.GetTarget().GetProvider(), Model: t.GetTarget().GetModel(),
			Succeeded: t.GetSucceeded(), Failed: t.GetFailed(),
			LastCode: orNull(t.GetLastCode()), LastFailure: stampText(t.GetLastFailure()),
			Down: orNull(t.GetDown()), FirstToken: microsOrNull(t.GetLatencyUs()),
		})
	}
	return writeJSON(w, http.StatusOK, map[string]any{"policy_version": resp.GetPolicyVersion(), "items": items})
}

func microsOrNull(us int64) *int64 {
	if us == 0 {
		return nil
	}
	return &us
}
