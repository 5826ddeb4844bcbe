package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

// entry holds the fields of a record that the reconciliation needs.
type entry struct {
	ID        string  `json:"id"`
	Model     *string `json:"model"`
	Outcome   string  `json:"outcome"`
	Status    *int    `json:"status"`
	Tokens    tokens  `json:"tokens"`
	CostBasis *string `json:"cost_basis"`
	Cost      *int64  `json:"cost_nano_usd"`
	Saved     *int64  `json:"saved_nano_usd"`
	Baseline  struct {
		Model *string `json:"model"`
		Cost  *int64  `json:"cost_nano_usd"`
	} `json:"baseline"`
	Attempts []struct {
		Provider string  `json:"provider"`
		Model    string  `json:"model"`
		Status   *int    `json:"status"`
		Code     *string `json:"code"`
		Cost     *int64  `json:"cost_nano_usd"`
		Tokens   *tokens `json:"tokens"`
	} `json:"attempts"`
	ClientRequestID *string `json:"client_request_id"`
}

type tokens struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning"`
}

// orZero returns the zero value for null.
func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func (e *entry) row() reconcile.Row {
	row := reconcile.Row{
		ID: e.ID, Mark: orZero(e.ClientRequestID), Model: orZero(e.Model), Outcome: e.Outcome, Status: orZero(e.Status),
		Tokens: reconcile.Usage(e.Tokens), Estimated: orZero(e.CostBasis) == "estimated",
		Cost: e.Cost, Baseline: e.Baseline.Cost, Saved: e.Saved, BaselineModel: orZero(e.Baseline.Model),
	}
	for _, a := range e.Attempts {
		if code := orZero(a.Code); code == "BREAKER_OPEN" || code == "OVER_LIMIT" {
			continue // no provider was called
		}
		row.Attempts = append(row.Attempts, reconcile.Attempt{
			Provider: a.Provider, Model: a.Model, Status: orZero(a.Status), Cost: a.Cost, Tokens: (*reconcile.Usage)(a.Tokens),
		})
	}
	return row
}

// get reads from the API, which may be unavailable while a part is killed.
func (a *APIClient) get(path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(a.t.Context(), http.MethodGet, a.base+"/api/v1"+path, nil)
	if err != nil {
		return nil, err
	}
	res, err := a.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s: %.200s", path, res.Status, body)
	}
	return body, err
}

// rows returns all records of the account since a time. It reads in full the records
// whose id no client knows and those with an estimated cost.
func (a *APIClient) rows(since time.Time, known map[string]bool) ([]reconcile.Row, error) {
	body, err := a.get("/requests/export?format=ndjson&from=" + url.QueryEscape(since.UTC().Format(time.RFC3339Nano)))
	if err != nil {
		return nil, err
	}
	var rows []reconcile.Row
	for lines := json.NewDecoder(bytes.NewReader(body)); lines.More(); {
		var e entry
		if err := lines.Decode(&e); err != nil {
			return nil, err
		}
		if row := e.row(); known[e.ID] && !row.Estimated {
			rows = append(rows, row)
			continue
		}
		detail, err := a.get("/requests/" + e.ID)
		if err != nil {
			return nil, err
		}
		var whole entry
		if err := json.Unmarshal(detail, &whole); err != nil {
			return nil, err
		}
		rows = append(rows, whole.row())
	}
	return rows, nil
}

// sums returns the totals of the account from the start of an hour, because the
// aggregates are hourly.
func (a *APIClient) sums(from time.Time) (reconcile.Sums, error) {
	text := func(t time.Time) string { return url.QueryEscape(t.UTC().Format(time.RFC3339)) }
	body, err := a.get("/impact?from=" + text(from) + "&to=" + text(from.Add(24*time.Hour)))
	if err != nil {
		return reconcile.Sums{}, err
	}
	var got struct {
		Requests int64 `json:"requests"`
		Unpriced int64 `json:"unpriced"`
		Routed   int64 `json:"routed_nano_usd"`
		Baseline int64 `json:"baseline_nano_usd"`
		Saved    int64 `json:"saved_nano_usd"`
	}
	err = json.Unmarshal(body, &got)
	return reconcile.Sums{Requests: got.Requests, Unpriced: got.Unpriced, Routed: got.Routed, Baseline: got.Baseline, Saved: got.Saved}, err
}

// completeness returns how complete the ledger is, and how many records it has received
// in total.
func (a *APIClient) completeness() (reconcile.Sums, error) {
	body, err := a.get("/completeness")
	if err != nil {
		return reconcile.Sums{}, err
	}
	var got struct {
		Stored      int64 `json:"stored"`
		InFlight    int64 `json:"in_flight"`
		Missing     int64 `json:"missing"`
		Lost        int64 `json:"lost"`
		DeadLetters int64 `json:"dead_letters"`
	}
	err = json.Unmarshal(body, &got)
	return reconcile.Sums{Received: got.Stored, Incomplete: got.InFlight + got.Missing + got.Lost, DeadLetters: got.DeadLetters}, err
}

// awaitComplete waits until every record that was sent is stored and readable.
func (a *APIClient) awaitComplete() {
	a.t.Helper()
	require.Eventually(a.t, func() bool {
		m, err := a.completeness()
		return err == nil && m.Received > 0 && m.Incomplete == 0 && m.DeadLetters == 0
	}, waitTimeout, pollInterval, "the meter does not agree")
}
