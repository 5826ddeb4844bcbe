package control

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

// recordSchema is the version of a record's meaning.
const recordSchema = 1

var routes = map[ledger.Route]recordv1.Route{
	ledger.NoRoute:  recordv1.Route_ROUTE_UNSPECIFIED,
	ledger.Expected: recordv1.Route_ROUTE_EXPECTED,
	ledger.Fallback: recordv1.Route_ROUTE_FALLBACK,
	ledger.Policy:   recordv1.Route_ROUTE_POLICY,
}

var outcomes = map[ledger.Outcome]recordv1.Outcome{
	ledger.OK:           recordv1.Outcome_OUTCOME_OK,
	ledger.Error:        recordv1.Outcome_OUTCOME_ERROR,
	ledger.Rejected:     recordv1.Outcome_OUTCOME_REJECTED,
	ledger.Interrupted:  recordv1.Outcome_OUTCOME_INTERRUPTED,
	ledger.ClientClosed: recordv1.Outcome_OUTCOME_CLIENT_CLOSED,
	ledger.Aborted:      recordv1.Outcome_OUTCOME_ABORTED,
}

// RecordCodec encodes records as signalbox.record.v1.RequestRecord.
type RecordCodec struct{}

var _ ledger.Codec = RecordCodec{}

// Encode writes a record.
func (RecordCodec) Encode(r *ledger.Record) ([]byte, error) { return proto.Marshal(toRecord(r)) }

func toRecord(r *ledger.Record) *recordv1.RequestRecord {
	out := &recordv1.RequestRecord{
		Schema:          recordSchema,
		Id:              r.ID[:],
		ClientRequestId: text(r.ClientRequestID),
		AccountId:       r.AccountID,
		KeyId:           r.KeyID,
		KeyName:         text(r.KeyName),
		Time:            timestamppb.New(r.Time),
		Endpoint:        toEndpoint(r.Kind),
		Stream:          r.Stream,
		RequestedModel:  text(r.RequestedModel),
		Model:           r.Served.Model,
		Provider:        r.Served.Provider,
		Route:           routes[r.Route],
		Outcome:         outcomes[r.Outcome],
		Status:          int32(r.Status), //nolint:gosec // an HTTP status
		Code:            r.Code,
		Error:           text(r.Message),
		Tokens:          toTokens(r.Usage),
		CostNanoUsd:     r.Cost,
		CostBasis:       costBasis(r),
		LatencyUs:       r.Latency.Microseconds(),
		TtftUs:          r.FirstToken.Microseconds(),
		GatewayUs:       r.GatewayTime().Microseconds(),
		AuthUs:          r.AuthTime.Microseconds(),
		RouteUs:         r.RouteTime.Microseconds(),
		ClientRetry:     r.ClientRetry,
		ClientAddress:   r.ClientAddress,

		BaselineNanoUsd: r.Baseline,
	}
	for _, a := range r.Attempts {
		out.Attempts = append(out.Attempts, toAttempt(a))
	}
	if r.Decision != nil {
		addDecision(out, r.Decision)
	}
	if r.Request != nil || r.Response != nil {
		out.Content = &recordv1.Content{
			Request: r.Request, Response: r.Response, RequestBytes: r.RequestLen, ResponseBytes: r.ResponseLen,
		}
	}
	return out
}

func addDecision(out *recordv1.RequestRecord, d *decide.Decision) {
	out.Reason = &recordv1.Reason{Code: d.Reason.Code, Text: d.Reason.Text, Rule: d.Reason.Rule}
	out.BaselineModel = d.Baseline
	out.PolicyVersion, out.CatalogVersion, out.EngineVersion = d.Policy, d.Catalog, d.Engine
	out.Features = d.Features
	for _, v := range d.Verdicts {
		out.Candidates = append(out.Candidates, &recordv1.Candidate{
			Model: v.Target.Model, Provider: v.Target.Provider, Verdict: v.Code, Text: v.Text, PredictedNanoUsd: v.Predicted,
		})
	}
}

func toAttempt(a ledger.Attempt) *recordv1.Attempt {
	return &recordv1.Attempt{
		Provider:          a.Target.Provider,
		Model:             a.Target.Model,
		Status:            int32(a.Status), //nolint:gosec // an HTTP status
		Code:              a.Code,
		StartedUs:         a.Started.Microseconds(),
		FirstTokenUs:      a.FirstToken.Microseconds(),
		EndedUs:           a.Ended.Microseconds(),
		CostNanoUsd:       a.Cost,
		UpstreamRequestId: text(a.UpstreamID),
	}
}

func toTokens(u catalog.Usage) *recordv1.Tokens {
	return &recordv1.Tokens{
		Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output, Reasoning: u.Reasoning,
	}
}

func toEndpoint(k catalog.Kind) recordv1.Endpoint {
	if k == catalog.Embeddings {
		return recordv1.Endpoint_ENDPOINT_EMBEDDINGS
	}
	return recordv1.Endpoint_ENDPOINT_CHAT
}

// maxText bounds what strangers may put into a record: enough to read, too
// little to make a ledger unreadable.
const maxText = 2 << 10

// text makes a stranger's text fit for a record. Bytes that are no UTF-8 would
// make the whole record impossible to encode.
func text(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxText)], "\uFFFD")
}

// costBasis is as good as the least certain of the attempts.
func costBasis(r *ledger.Record) recordv1.CostBasis {
	basis := recordv1.CostBasis_COST_BASIS_UNSPECIFIED
	for _, a := range r.Attempts {
		switch {
		case a.Usage == nil:
		case a.Estimated:
			return recordv1.CostBasis_COST_BASIS_ESTIMATED
		default:
			basis = recordv1.CostBasis_COST_BASIS_FINAL
		}
	}
	return basis
}

// Abort turns the note of a request that a proxy died with into its record: it
// is the note, with the outcome.
func Abort(note []byte) ([]byte, error) {
	var r recordv1.RequestRecord
	if err := proto.Unmarshal(note, &r); err != nil {
		return nil, fmt.Errorf("decode note: %w", err)
	}
	if _, err := uuid.FromBytes(r.GetId()); err != nil {
		return nil, fmt.Errorf("decode note: %w", err)
	}
	r.Outcome = recordv1.Outcome_OUTCOME_ABORTED
	r.BaselineNanoUsd = new(int64)
	return proto.Marshal(&r)
}
