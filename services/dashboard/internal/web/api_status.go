package web

import (
	"context"
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// producerJSON is what the store knows of one spool of a proxy. It proves what
// is stored. It cannot prove that nothing else was sent: what a proxy wrote
// after the highest number is not known here until it arrives.
type producerJSON struct {
	Producer string `json:"producer"`
	// Stored counts the numbers that the store holds, dead letters included.
	Stored int64 `json:"stored"`
	// Highest is the highest number that has arrived.
	Highest int64 `json:"highest"`
	// Missing counts the numbers below it that have not: records that are on
	// their way, were lost, or whose numbers a damaged spool passed over.
	Missing     int64 `json:"missing"`
	DeadLetters int64 `json:"dead_letters"`
}

// apiCompleteness tells of the newest producers.
func (s *server) apiCompleteness(w http.ResponseWriter, r *http.Request, _ *viewer) error {
	ctx, cancel := context.WithTimeout(r.Context(), readTimeout)
	defer cancel()
	producers, err := s.Completeness.Completeness(ctx)
	if err != nil {
		return err
	}
	items := []producerJSON{}
	for _, p := range producers {
		items = append(items, producerJSON{
			Producer: p.Name, Stored: p.Stored, Highest: p.Highest, Missing: p.Missing(), DeadLetters: p.DeadLetters,
		})
	}
	return writeItems(w, items)
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
