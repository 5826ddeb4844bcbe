package web

import (
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// detailJSON is one record with everything that is known of it.
type detailJSON struct {
	recordJSON
	// Costs add up to cost_nano_usd; null when that is.
	Costs      *costsJSON          `json:"costs"`
	Baseline   baselineDetailJSON  `json:"baseline"`
	Attempts   []attemptDetailJSON `json:"attempts"`
	Endpoint   string              `json:"endpoint"`
	Error      *string             `json:"error"`
	Candidates []candidateJSON     `json:"candidates"`
	Features   map[string]int64    `json:"features"`
	// Inputs is null when nothing was decided.
	Inputs          *inputsJSON `json:"inputs"`
	PolicyVersion   *string     `json:"policy_version"`
	CatalogVersion  *string     `json:"catalog_version"`
	EngineVersion   *string     `json:"engine_version"`
	AuthUS          int64       `json:"auth_us"`
	RouteUS         int64       `json:"route_us"`
	TraceID         *string     `json:"trace_id"`
	ClientRequestID *string     `json:"client_request_id"`
	ClientRetry     int32       `json:"client_retry"`
	ClientAddress   *string     `json:"client_address"`
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
	// LatencyUS is expected to the first token; null when it was not known.
	LatencyUS *int64 `json:"latency_us"`
	// Quality is in thousandths.
	Quality int64 `json:"quality"`
	// Down is why it was down; null when it was not.
	Down *string `json:"down"`
}

type baselineDetailJSON struct {
	baselineJSON
	Costs *costsJSON `json:"costs"`
	Price *priceJSON `json:"price"`
}

type attemptDetailJSON struct {
	attemptJSON
	Tokens            *tokensJSON   `json:"tokens"`
	Costs             *costsJSON    `json:"costs"`
	Price             *priceJSON    `json:"price"`
	CostBasis         *record.Basis `json:"cost_basis"`
	UpstreamRequestID *string       `json:"upstream_request_id"`
	DroppedParams     []string      `json:"dropped_params"`
	UsageDifference   int64         `json:"usage_difference"`
	ReportedNanoUSD   *int64        `json:"reported_nano_usd"`
}

// costsJSON is nano-USD by bucket.
type costsJSON struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Output     int64 `json:"output"`
}

// priceJSON is pico-USD a token, as it was when the request was made.
type priceJSON struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	// CacheWrite1h is null where it costs like any other write.
	CacheWrite1h *int64 `json:"cache_write_1h"`
	Output       int64  `json:"output"`
	// Effective is the day from which on it held; null when always.
	Effective *string `json:"effective"`
}

func toDetailJSON(r *record.Record) detailJSON {
	candidates := []candidateJSON{}
	for _, c := range r.Candidates {
		candidates = append(candidates, candidateJSON{
			Model: c.Model, Provider: c.Provider, Verdict: c.Verdict, Text: c.Text, PredictedNanoUSD: c.Predicted,
			LatencyUS: orNull(c.Latency), Quality: c.Quality, Down: orNull(c.Down),
		})
	}
	features := r.Features
	if features == nil {
		features = map[string]int64{}
	}
	d := detailJSON{
		recordJSON: toRecordJSON(r), Costs: (*costsJSON)(r.Costs), Attempts: toAttemptDetails(r.Attempts),
		Baseline: baselineDetailJSON{toBaselineJSON(r), (*costsJSON)(r.BaselineCosts), toPriceJSON(r.BaselinePrice)},
		Endpoint: r.Endpoint, Error: orNull(r.Error),
		Candidates: candidates, Features: features, Inputs: toInputsJSON(r.Inputs), PolicyVersion: orNull(r.PolicyVersion),
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

func toAttemptDetails(all []record.Attempt) []attemptDetailJSON {
	out := []attemptDetailJSON{}
	for i := range all {
		a := &all[i]
		out = append(out, attemptDetailJSON{
			attemptJSON: toAttemptJSON(a), Tokens: (*tokensJSON)(a.Tokens), Costs: (*costsJSON)(a.Costs), Price: toPriceJSON(a.Price),
			CostBasis: orNull(a.CostBasis), UpstreamRequestID: orNull(a.UpstreamRequestID),
			DroppedParams: append([]string{}, a.Dropped...), UsageDifference: a.UsageDifference, ReportedNanoUSD: a.Reported,
		})
	}
	return out
}

func toPriceJSON(p *record.Price) *priceJSON {
	if p == nil {
		return nil
	}
	return &priceJSON{Input: p.Input, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite, CacheWrite1h: orNull(p.CacheWrite1h), Output: p.Output, Effective: orNull(p.Effective)}
}
