package recordjson

import (
	"github.com/signalbox/signalbox/pkg/explain"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Detail is one record with all its details.
type Detail struct {
	Record
	// Evidence says how good the response was, oldest first.
	Evidence []Evidence `json:"evidence"`
	// Comparisons are those of experiments with this request, oldest first.
	Comparisons []comparisonJSON `json:"comparisons"`
	// Costs add up to cost_nano_usd. Costs is null if cost_nano_usd is null.
	Costs      *costsJSON          `json:"costs"`
	Baseline   baselineDetailJSON  `json:"baseline"`
	Attempts   []attemptDetailJSON `json:"attempts"`
	Endpoint   string              `json:"endpoint"`
	Error      *string             `json:"error"`
	Candidates []candidateJSON     `json:"candidates"`
	Features   map[string]int64    `json:"features"`
	// Explanation says in words why the qualities were predicted so. It is null if nothing
	// is known of the request.
	Explanation *explain.Explanation `json:"explanation"`
	// Inputs is null if there was no decision.
	Inputs        *inputsJSON `json:"inputs"`
	PolicyVersion *string     `json:"policy_version"`
	// Rollout is null if no rollout was open.
	Rollout         *rolloutJSON `json:"rollout"`
	CatalogVersion  *string      `json:"catalog_version"`
	EngineVersion   *string      `json:"engine_version"`
	AuthUS          int64        `json:"auth_us"`
	RouteUS         int64        `json:"route_us"`
	TraceID         *string      `json:"trace_id"`
	ClientRequestID *string      `json:"client_request_id"`
	ClientRetry     int32        `json:"client_retry"`
	ClientAddress   *string      `json:"client_address"`
	// Request and Response are the captured text, truncated at the capture limit.
	// The byte counts are the lengths before truncation. All are null if nothing
	// was captured.
	Request       *string `json:"request"`
	RequestBytes  *int64  `json:"request_bytes"`
	Response      *string `json:"response"`
	ResponseBytes *int64  `json:"response_bytes"`
}

// rolloutJSON names the two policy versions that were in use. policy_version of the record is
// the one that decided.
type rolloutJSON struct {
	ID        string `json:"id"`
	Stable    string `json:"stable_version"`
	Candidate string `json:"candidate_version"`
	// Share is in hundredths of a percent.
	Share int32 `json:"share"`
}

type baselineDetailJSON struct {
	baselineJSON
	Costs *costsJSON `json:"costs"`
	Price *priceJSON `json:"price"`
}

type attemptDetailJSON struct {
	attemptJSON
	Tokens            *tokensJSON       `json:"tokens"`
	Costs             *costsJSON        `json:"costs"`
	Price             *priceJSON        `json:"price"`
	CostBasis         *record.CostBasis `json:"cost_basis"`
	UpstreamRequestID *string           `json:"upstream_request_id"`
	DroppedParams     []string          `json:"dropped_params"`
	UsageDifference   int64             `json:"usage_difference"`
	ReportedNanoUSD   *int64            `json:"reported_nano_usd"`
	Unpriced          []string          `json:"unpriced"`
}

// costsJSON is the cost of each kind of token, in nano-USD.
type costsJSON struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Output     int64 `json:"output"`
}

// priceJSON is the price at the time of the request, in pico-USD per token.
type priceJSON struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	// CacheWrite1h is null if one-hour cache writes cost the same as other cache writes.
	CacheWrite1h *int64 `json:"cache_write_1h"`
	Output       int64  `json:"output"`
	// Effective is the first day on which the price applied; null if there is none.
	Effective *string `json:"effective"`
}

// ToDetail converts a record with all its details.
func ToDetail(r *record.Record, known []evidence.Item, compared []evidence.Comparison) Detail {
	d := Detail{
		Record: ToRecord(r), Evidence: jsonvalue.ConvertAll(known, ToEvidence), Comparisons: jsonvalue.ConvertAll(compared, toComparison), Costs: (*costsJSON)(r.Costs), Attempts: toAttemptDetails(r.Attempts),
		Baseline: baselineDetailJSON{toBaselineJSON(r), (*costsJSON)(r.BaselineCosts), toPriceJSON(r.BaselinePrice)},
		Endpoint: r.Endpoint, Error: jsonvalue.NullIfZero(r.Error),
		Candidates: toCandidatesJSON(r), Features: jsonvalue.OrEmptyMap(r.Features), Explanation: toExplanation(r), Inputs: toInputsJSON(r.Inputs), PolicyVersion: jsonvalue.NullIfZero(r.PolicyVersion),
		Rollout:        (*rolloutJSON)(r.Rollout),
		CatalogVersion: jsonvalue.NullIfZero(r.CatalogVersion), EngineVersion: jsonvalue.NullIfZero(r.EngineVersion),
		AuthUS: r.AuthTime, RouteUS: r.RouteTime, TraceID: jsonvalue.NullIfZero(r.TraceID),
		ClientRequestID: jsonvalue.NullIfZero(r.ClientRequestID), ClientRetry: r.ClientRetry, ClientAddress: jsonvalue.NullIfZero(r.ClientAddress),
	}
	if c := r.Content; c != nil {
		request, response := jsonvalue.ValidText(string(c.Request)), jsonvalue.ValidText(string(c.Response))
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
			CostBasis: jsonvalue.NullIfZero(a.CostBasis), UpstreamRequestID: jsonvalue.NullIfZero(a.UpstreamRequestID),
			DroppedParams: append([]string{}, a.DroppedParams...), UsageDifference: a.UsageDifference, ReportedNanoUSD: a.ReportedCost,
			Unpriced: append([]string{}, a.Unpriced...),
		})
	}
	return out
}

func toPriceJSON(p *record.Price) *priceJSON {
	if p == nil {
		return nil
	}
	return &priceJSON{Input: p.Input, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite, CacheWrite1h: jsonvalue.NullIfZero(p.CacheWrite1h), Output: p.Output, Effective: jsonvalue.NullIfZero(p.Effective)}
}
