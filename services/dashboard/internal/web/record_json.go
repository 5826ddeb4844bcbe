package web

import (
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// recordJSON is a record in a list and in an export. What there is none of is
// null; money is nano-USD, and null when a price is unknown.
type recordJSON struct {
	ID             string        `json:"id"`
	Time           string        `json:"time"`
	AccountID      string        `json:"account_id"`
	KeyID          string        `json:"key_id"`
	KeyName        string        `json:"key_name"`
	RequestedModel string        `json:"requested_model"`
	Model          *string       `json:"model"`
	Provider       *string       `json:"provider"`
	Route          *record.Route `json:"route"`
	Outcome        string        `json:"outcome"`
	Reason         reasonJSON    `json:"reason"`
	Status         *int32        `json:"status"`
	Code           *string       `json:"code"`
	Stream         bool          `json:"stream"`
	Tokens         tokensJSON    `json:"tokens"`
	CostNanoUSD    *int64        `json:"cost_nano_usd"`
	CostBasis      *record.Basis `json:"cost_basis"`
	Baseline       baselineJSON  `json:"baseline"`
	KeptNanoUSD    *int64        `json:"kept_nano_usd"`
	LatencyUS      int64         `json:"latency_us"`
	TTFTUS         *int64        `json:"ttft_us"`
	GatewayUS      int64         `json:"gateway_us"`
	Attempts       []attemptJSON `json:"attempts"`
}

type reasonJSON struct {
	Code string `json:"code"`
	Text string `json:"text"`
	Rule string `json:"rule,omitempty"`
}

type tokensJSON struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning"`
}

type baselineJSON struct {
	Model       *string `json:"model"`
	CostNanoUSD *int64  `json:"cost_nano_usd"`
}

type attemptJSON struct {
	Provider     string  `json:"provider"`
	Model        string  `json:"model"`
	Status       *int32  `json:"status"`
	Code         *string `json:"code"`
	StartedUS    int64   `json:"started_us"`
	FirstTokenUS *int64  `json:"first_token_us"`
	EndedUS      int64   `json:"ended_us"`
	CostNanoUSD  *int64  `json:"cost_nano_usd"`
}

// detailJSON is one record with everything that is known of it.
type detailJSON struct {
	recordJSON
	Endpoint        string           `json:"endpoint"`
	Error           *string          `json:"error"`
	Candidates      []candidateJSON  `json:"candidates"`
	Features        map[string]int64 `json:"features"`
	PolicyVersion   *string          `json:"policy_version"`
	CatalogVersion  *string          `json:"catalog_version"`
	EngineVersion   *string          `json:"engine_version"`
	AuthUS          int64            `json:"auth_us"`
	RouteUS         int64            `json:"route_us"`
	TraceID         *string          `json:"trace_id"`
	ClientRequestID *string          `json:"client_request_id"`
	ClientRetry     int32            `json:"client_retry"`
	ClientAddress   *string          `json:"client_address"`
	// Request and Response are the captured text, cut at the capture limit;
	// the lengths are those before the cut. All are null when nothing was
	// captured.
	Request       *string `json:"request"`
	RequestBytes  *int64  `json:"request_bytes"`
	Response      *string `json:"response"`
	ResponseBytes *int64  `json:"response_bytes"`
}

type candidateJSON struct {
	Model            string `json:"model"`
	Provider         string `json:"provider"`
	Verdict          string `json:"verdict"`
	Text             string `json:"text"`
	PredictedNanoUSD *int64 `json:"predicted_nano_usd"`
}

func toRecordJSON(r *record.Record) recordJSON {
	attempts := []attemptJSON{}
	for _, a := range r.Attempts {
		attempts = append(attempts, attemptJSON{
			Provider: a.Provider, Model: a.Model, Status: orNull(a.Status), Code: orNull(a.Code),
			StartedUS: a.Started, FirstTokenUS: orNull(a.First), EndedUS: a.End, CostNanoUSD: a.Cost,
		})
	}
	return recordJSON{
		ID: r.ID.String(), Time: timeText(r.Time), AccountID: r.AccountID, KeyID: r.KeyID, KeyName: r.KeyName,
		RequestedModel: r.RequestedModel, Model: orNull(r.Model), Provider: orNull(r.Provider),
		Route: orNull(r.Route), Outcome: string(r.Outcome), Reason: reasonJSON(r.Reason),
		Status: orNull(r.Status), Code: orNull(r.Code), Stream: r.Stream, Tokens: tokensJSON(r.Tokens),
		CostNanoUSD: r.Cost, CostBasis: orNull(r.CostBasis),
		Baseline:    baselineJSON{Model: orNull(r.BaselineModel), CostNanoUSD: r.BaselineCost},
		KeptNanoUSD: r.Kept(), LatencyUS: r.Latency, TTFTUS: orNull(r.TTFT), GatewayUS: r.Gateway, Attempts: attempts,
	}
}

func toDetailJSON(r *record.Record) detailJSON {
	candidates := []candidateJSON{}
	for _, c := range r.Candidates {
		candidates = append(candidates, candidateJSON{
			Model: c.Model, Provider: c.Provider, Verdict: c.Verdict, Text: c.Text, PredictedNanoUSD: c.Predicted,
		})
	}
	features := r.Features
	if features == nil {
		features = map[string]int64{}
	}
	d := detailJSON{
		recordJSON: toRecordJSON(r), Endpoint: r.Endpoint, Error: orNull(r.Error),
		Candidates: candidates, Features: features, PolicyVersion: orNull(r.PolicyVersion),
		CatalogVersion: orNull(r.CatalogVersion), EngineVersion: orNull(r.EngineVersion),
		AuthUS: r.AuthTime, RouteUS: r.RouteTime, TraceID: orNull(r.TraceID),
		ClientRequestID: orNull(r.ClientRequestID), ClientRetry: r.ClientRetry, ClientAddress: orNull(r.ClientAddress),
	}
	if c := r.Content; c != nil {
		request, response := validText(string(c.Request)), validText(string(c.Response))
		d.Request, d.Response, d.RequestBytes, d.ResponseBytes = &request, &response, &c.RequestBytes, &c.ResponseBytes
	}
	return d
}
