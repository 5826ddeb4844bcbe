package web

import (
	"context"
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

type completenessJSON struct {
	// Complete is whether nothing that is known of is missing.
	Complete    bool           `json:"complete"`
	Sent        int64          `json:"sent"`
	Stored      int64          `json:"stored"`
	Missing     int64          `json:"missing"`
	DeadLetters int64          `json:"dead_letters"`
	Producers   []producerJSON `json:"producers"`
}

type producerJSON struct {
	Producer    string `json:"producer"`
	Sent        int64  `json:"sent"`
	Stored      int64  `json:"stored"`
	Missing     int64  `json:"missing"`
	DeadLetters int64  `json:"dead_letters"`
}

func (s *server) apiCompleteness(w http.ResponseWriter, r *http.Request, _ *viewer) error {
	ctx, cancel := context.WithTimeout(r.Context(), readTimeout)
	defer cancel()
	producers, err := s.Completeness.Completeness(ctx)
	if err != nil {
		return err
	}
	answer := completenessJSON{Producers: []producerJSON{}}
	for _, p := range producers {
		answer.Sent += p.Sent
		answer.Stored += p.Stored
		answer.Missing += p.Missing()
		answer.DeadLetters += p.DeadLetters
		answer.Producers = append(answer.Producers, producerJSON{
			Producer: p.Name, Sent: p.Sent, Stored: p.Stored, Missing: p.Missing(), DeadLetters: p.DeadLetters,
		})
	}
	answer.Complete = answer.Missing == 0
	return writeJSON(w, http.StatusOK, answer)
}

type targetJSON struct {
	Provider    string  `json:"provider"`
	Model       string  `json:"model"`
	Succeeded   int64   `json:"succeeded"`
	Failed      int64   `json:"failed"`
	LastCode    *string `json:"last_code"`
	LastFailure *string `json:"last_failure"`
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
		})
	}
	return writeJSON(w, http.StatusOK, map[string]any{"policy_version": resp.GetPolicyVersion(), "items": items})
}
