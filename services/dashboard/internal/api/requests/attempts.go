package requests

import (
	"context"
	"net/http"

	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// maxAttemptRequests is the maximum number of requests whose attempts are
// summed. The newest requests are used.
const maxAttemptRequests = 1000

type attemptsJSON struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Requests is the number of newest requests that the attempts belong to.
	Requests int                    `json:"requests"`
	Items    []endpointAttemptsJSON `json:"items"`
}

// endpointAttemptsJSON summarizes the attempts on one endpoint (a model at a
// provider). The percentiles cover the successful attempts. They are null if no
// attempt succeeded.
type endpointAttemptsJSON struct {
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
	// RequestID is the newest request with this failure.
	RequestID string `json:"request_id"`
}

// apiSumAttempts sums the attempts of the account's newest requests by endpoint.
func (s *API) apiSumAttempts(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	q, err := parseRangeQuery(r, v)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	page, err := s.Ledger.Page(ctx, q, nil, maxAttemptRequests)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, attemptsJSON{
		From: jsonvalue.FormatTime(q.From), To: jsonvalue.FormatTime(q.To), Requests: len(page.Items), Items: jsonvalue.ConvertAll(record.SumAttempts(page.Items), toEndpointAttemptsJSON),
	})
}

func toEndpointAttemptsJSON(t record.EndpointSums) endpointAttemptsJSON {
	return endpointAttemptsJSON{
		Provider: t.Provider, Model: t.Model, Attempts: t.Attempts, Failed: t.FailedAttempts(), P50US: jsonvalue.NullIfZero(t.P50), P95US: jsonvalue.NullIfZero(t.P95),
		Failures: jsonvalue.ConvertAll(t.Failures, func(f record.Failure) failureJSON {
			return failureJSON{Code: f.Code, Attempts: f.Attempts, RequestID: f.Newest.String()}
		}),
	}
}
