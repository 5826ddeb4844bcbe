package web

import (
	"context"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// maxTallied is of how many requests, the newest, attempts are added up.
const maxTallied = 1000

type attemptsJSON struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Requests is of how many requests, the newest, these are the attempts.
	Requests int         `json:"requests"`
	Items    []tallyJSON `json:"items"`
}

// tallyJSON is how the attempts on one target went. The spans are of those that
// did not fail, and null when all did.
type tallyJSON struct {
	Provider string        `json:"provider"`
	Model    string        `json:"model"`
	Attempts int64         `json:"attempts"`
	Failed   int64         `json:"failed"`
	P50US    *int64        `json:"p50_us"`
	P95US    *int64        `json:"p95_us"`
	Failures []failureJSON `json:"failures"`
}

type failureJSON struct {
	Code     string `json:"code"`
	Attempts int64  `json:"attempts"`
	// RequestID is the newest request in which it happened.
	RequestID string `json:"request_id"`
}

// apiAttempts adds up the attempts of the viewer's newest requests by target.
func (s *server) apiAttempts(w http.ResponseWriter, r *http.Request, v *viewer) error {
	p, err := params(r, "filter", "from", "to")
	if err != nil {
		return err
	}
	q, err := query(p, v.account.GetId())
	if err != nil {
		return err
	}
	bound(&q, 24*time.Hour)
	ctx, cancel := context.WithTimeout(r.Context(), readTimeout)
	defer cancel()
	page, err := s.Ledger.Page(ctx, q, nil, maxTallied)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, attemptsJSON{
		From: timeText(q.From), To: timeText(q.To), Requests: len(page.Items), Items: each(record.Targets(page.Items), toTallyJSON),
	})
}

func toTallyJSON(t record.TargetSums) tallyJSON {
	return tallyJSON{
		Provider: t.Provider, Model: t.Model, Attempts: t.Attempts, Failed: t.Failed(), P50US: orNull(t.P50), P95US: orNull(t.P95),
		Failures: each(t.Failures, func(f record.Failure) failureJSON {
			return failureJSON{Code: f.Code, Attempts: f.Attempts, RequestID: f.Newest.String()}
		}),
	}
}
