// Package recordjson defines the JSON form of records: Record in lists, exports
// and the live feed, Detail for one record with all its details, and Page for a
// page of a list. Names and units are part of the API; openapi.json in web
// describes them. The packages of the API and the pages use it.
package recordjson

import (
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Record is a record in lists and exports. Missing values are null. Amounts are
// in nano-USD, and null if the price is unknown.
type Record struct {
	ID             string          `json:"id"`
	Time           string          `json:"time"`
	AccountID      string          `json:"account_id"`
	KeyID          string          `json:"key_id"`
	KeyName        string          `json:"key_name"`
	RequestedModel string          `json:"requested_model"`
	Model          *string         `json:"model"`
	Provider       *string         `json:"provider"`
	Effort         *string         `json:"effort"`
	Route          *record.Route   `json:"route"`
	Outcome        string          `json:"outcome"`
	Reason         reasonJSON      `json:"reason"`
	Status         *int32          `json:"status"`
	Code           *string         `json:"code"`
	Protocol       record.Protocol `json:"protocol"`
	// Agent is the client program; null if it is unknown.
	Agent *string `json:"agent"`
	// Session identifies the session within the account; null if there is none.
	Session *string `json:"session"`
	// User is the end user that the client named; null if it named none.
	User *string `json:"user"`
	// SideCall is true if the request is no turn of its session.
	SideCall     bool              `json:"side_call"`
	Stream       bool              `json:"stream"`
	Tokens       tokensJSON        `json:"tokens"`
	CostNanoUSD  *int64            `json:"cost_nano_usd"`
	CostBasis    *record.CostBasis `json:"cost_basis"`
	Baseline     baselineJSON      `json:"baseline"`
	SavedNanoUSD *int64            `json:"saved_nano_usd"`
	LatencyUS    int64             `json:"latency_us"`
	TTFTUS       *int64            `json:"ttft_us"`
	GatewayUS    int64             `json:"gateway_us"`
	Attempts     []attemptJSON     `json:"attempts"`
	// Capture is none, full, redacted or dropped; null on old records.
	Capture *record.Capture `json:"capture"`
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
	// CacheWrite1h is part of cache_write.
	CacheWrite1h int64 `json:"cache_write_1h"`
	Output       int64 `json:"output"`
	Reasoning    int64 `json:"reasoning"`
}

type baselineJSON struct {
	Model       *string `json:"model"`
	CostNanoUSD *int64  `json:"cost_nano_usd"`
}

type attemptJSON struct {
	Provider     string  `json:"provider"`
	Model        string  `json:"model"`
	Effort       *string `json:"effort"`
	Status       *int32  `json:"status"`
	Code         *string `json:"code"`
	StartedUS    int64   `json:"started_us"`
	FirstTokenUS *int64  `json:"first_token_us"`
	EndedUS      int64   `json:"ended_us"`
	CostNanoUSD  *int64  `json:"cost_nano_usd"`
}

// ToRecord converts a record for lists and exports.
func ToRecord(r *record.Record) Record {
	attempts := []attemptJSON{}
	for i := range r.Attempts {
		attempts = append(attempts, toAttemptJSON(&r.Attempts[i]))
	}
	return Record{
		ID: r.ID.String(), Time: jsonvalue.FormatTime(r.Time), AccountID: r.AccountID, KeyID: r.KeyID, KeyName: r.KeyName,
		RequestedModel: r.RequestedModel, Model: jsonvalue.NullIfZero(r.Model), Provider: jsonvalue.NullIfZero(r.Provider), Effort: jsonvalue.NullIfZero(r.Effort),
		Route: jsonvalue.NullIfZero(r.Route), Outcome: string(r.Outcome), Reason: reasonJSON(r.Reason),
		Status: jsonvalue.NullIfZero(r.Status), Code: jsonvalue.NullIfZero(r.Code),
		Protocol: r.Protocol, Agent: jsonvalue.NullIfZero(r.Agent), Session: jsonvalue.NullIfZero(r.Session),
		User: jsonvalue.NullIfZero(r.User), SideCall: r.SideCall, Stream: r.Stream, Tokens: tokensJSON(r.Tokens),
		CostNanoUSD: r.Cost, CostBasis: jsonvalue.NullIfZero(r.CostBasis),
		Baseline:     toBaselineJSON(r),
		SavedNanoUSD: r.Saved(), LatencyUS: r.Latency, TTFTUS: jsonvalue.NullIfZero(r.TTFT), GatewayUS: r.Gateway, Attempts: attempts,
		Capture: jsonvalue.NullIfZero(r.Capture),
	}
}

func toBaselineJSON(r *record.Record) baselineJSON {
	return baselineJSON{Model: jsonvalue.NullIfZero(r.BaselineModel), CostNanoUSD: r.BaselineCost}
}

func toAttemptJSON(a *record.Attempt) attemptJSON {
	return attemptJSON{
		Provider: a.Provider, Model: a.Model, Effort: jsonvalue.NullIfZero(a.Effort), Status: jsonvalue.NullIfZero(a.Status), Code: jsonvalue.NullIfZero(a.Code),
		StartedUS: a.Started, FirstTokenUS: jsonvalue.NullIfZero(a.FirstToken), EndedUS: a.Ended, CostNanoUSD: a.Cost,
	}
}
