// Package codec converts records between their wire format, the protobuf
// message RequestRecord, and the ledger's record.Record. Decode truncates
// oversized fields and rejects records that this version cannot decode. Encode
// writes a record without its content, and a Compressor converts the content to its
// stored form. Package ingest decodes the records of
// proxies with it. Package store encodes and decodes its rows with it.
package codec

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Schema is the newest schema version that this program can decode.
const Schema = 1

// Decode decodes a RequestRecord and truncates oversized strings and lists. An
// error means that this version can never decode the bytes, so retrying is
// pointless. A SchemaError means that a newer version can decode them.
func Decode(raw []byte) (*record.Record, error) {
	if schema := readSchema(raw); schema > Schema {
		return nil, &SchemaError{schema}
	}
	var m recordv1.RequestRecord
	if err := proto.Unmarshal(raw, &m); err != nil {
		return nil, errors.New("the data is not an encoded record")
	}
	if m.GetSchema() != Schema {
		return nil, errors.New("the record has no schema version")
	}
	return fromProto(&m)
}

// Encode encodes a record without its content, which is stored separately.
func Encode(r *record.Record) ([]byte, error) {
	b, err := proto.Marshal(toProto(r))
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	return b, nil
}

// CleanText makes a string acceptable to SQLite and Postgres: valid UTF-8 without
// NUL.
func CleanText(s string) string {
	return strings.ReplaceAll(toValidUTF8(s), "\x00", "\uFFFD")
}

func toValidUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func validTexts(all []string) (valid []string) {
	for _, s := range all {
		valid = append(valid, toValidUTF8(s))
	}
	return valid
}

func fromProto(m *recordv1.RequestRecord) (*record.Record, error) {
	id, err := uuid.FromBytes(m.GetId())
	if err != nil || id.Version() != 7 {
		return nil, errors.New("the record's id is not a UUIDv7")
	}
	route, okRoute := routes[m.GetRoute()]
	outcome, okOutcome := outcomes[m.GetOutcome()]
	endpoint, okEndpoint := endpoints[m.GetEndpoint()]
	basis, okBasis := bases[m.GetCostBasis()]
	capture, okCapture := captures[m.GetCapture()]
	switch {
	case m.GetAccountId() == "":
		return nil, errors.New("the record has no account id")
	case len(m.GetAccountId()) > maxText:
		return nil, errors.New("the account id is too long") // a truncated id could be the id of another account
	case !okRoute, !okOutcome, !okEndpoint, !okBasis, !okCapture:
		return nil, errors.New("the record has an unknown enum value")
	}
	r := &record.Record{
		ID: id, TraceID: hex.EncodeToString(firstItems(m.GetTraceId(), maxTraceBytes)),
		ClientRequestID: limitText(m.GetClientRequestId()), ClientAddress: limitText(m.GetClientAddress()), ClientRetry: m.GetClientRetry(),
		AccountID: m.GetAccountId(), KeyID: limitText(m.GetKeyId()), KeyName: limitText(m.GetKeyName()),
		Time: recordTime(m.GetTime(), id), Endpoint: endpoint,
		Protocol: protocolFromProto(m.GetProtocol()), Agent: limitText(m.GetAgent()),
		Session: limitLabel(m.GetSession()), User: limitLabel(m.GetUser()), Budgets: limitTexts(m.GetBudgets()), SideCall: m.GetSideCall(), Stream: m.GetStream(),
		RequestedModel: limitText(m.GetRequestedModel()), Model: limitText(m.GetModel()), Provider: limitText(m.GetProvider()), Effort: limitText(m.GetEffort()), Route: route,
		Reason:  reasonFromProto(m.GetReason()),
		Outcome: outcome, Status: m.GetStatus(), Code: limitText(m.GetCode()), Error: Truncate(m.GetError(), maxError),
		Tokens: tokensFromProto(m.GetTokens()), Cost: m.CostNanoUsd, Costs: costsFromProto(m.GetCosts()), CostBasis: basis,
		BaselineModel: limitText(m.GetBaselineModel()), BaselineCost: m.BaselineNanoUsd,
		BaselineCosts: costsFromProto(m.GetBaselineCosts()), BaselinePrice: priceFromProto(m.GetBaselinePrice()),
		Latency: m.GetLatencyUs(), TTFT: m.GetTtftUs(), Gateway: m.GetGatewayUs(),
		AuthTime: m.GetAuthUs(), RouteTime: m.GetRouteUs(),
		Attempts: attemptsFromProto(m.GetAttempts()), Candidates: candidatesFromProto(m.GetCandidates()),
		Features: featuresFromProto(m.GetFeatures()), Inputs: inputsFromProto(m.GetDecisionInputs()), PolicyVersion: limitText(m.GetPolicyVersion()),
		Rollout:        rolloutFromProto(m.GetRollout()),
		CatalogVersion: limitText(m.GetCatalogVersion()), EngineVersion: limitText(m.GetEngineVersion()),
		Capture: capture, Content: contentFromProto(m.GetContent()),
	}
	r.ApplyBaselineRule()
	return r, nil
}

func toProto(r *record.Record) *recordv1.RequestRecord {
	trace, _ := hex.DecodeString(r.TraceID) // cannot fail: Decode sets TraceID to valid hex
	return &recordv1.RequestRecord{
		Schema: Schema, Id: r.ID[:], TraceId: trace,
		ClientRequestId: toValidUTF8(r.ClientRequestID), ClientAddress: toValidUTF8(r.ClientAddress), ClientRetry: r.ClientRetry,
		AccountId: toValidUTF8(r.AccountID), KeyId: toValidUTF8(r.KeyID), KeyName: toValidUTF8(r.KeyName),
		Time: timestamppb.New(r.Time), Endpoint: numberOf(endpoints, r.Endpoint),
		Protocol: toValidUTF8(string(r.Protocol)), Agent: toValidUTF8(r.Agent),
		Session: toValidUTF8(r.Session), User: toValidUTF8(r.User), Budgets: validTexts(r.Budgets), SideCall: r.SideCall, Stream: r.Stream,
		RequestedModel: toValidUTF8(r.RequestedModel), Model: toValidUTF8(r.Model), Provider: toValidUTF8(r.Provider), Effort: toValidUTF8(r.Effort), Route: numberOf(routes, r.Route),
		Reason:  &recordv1.Reason{Code: toValidUTF8(r.Reason.Code), Text: toValidUTF8(r.Reason.Text), Rule: toValidUTF8(r.Reason.Rule)},
		Outcome: numberOf(outcomes, r.Outcome), Status: r.Status, Code: toValidUTF8(r.Code), Error: toValidUTF8(r.Error),
		Tokens: tokensToProto(r.Tokens), CostNanoUsd: r.Cost, Costs: costsToProto(r.Costs), CostBasis: numberOf(bases, r.CostBasis),
		BaselineModel: toValidUTF8(r.BaselineModel), BaselineNanoUsd: r.BaselineCost,
		BaselineCosts: costsToProto(r.BaselineCosts), BaselinePrice: priceToProto(r.BaselinePrice),
		LatencyUs: r.Latency, TtftUs: r.TTFT, GatewayUs: r.Gateway, AuthUs: r.AuthTime, RouteUs: r.RouteTime,
		Attempts: attemptsToProto(r.Attempts), Candidates: candidatesToProto(r.Candidates),
		Features: featuresToProto(r.Features), DecisionInputs: inputsToProto(r.Inputs), PolicyVersion: toValidUTF8(r.PolicyVersion), CatalogVersion: toValidUTF8(r.CatalogVersion),
		Rollout:       rolloutToProto(r.Rollout),
		EngineVersion: toValidUTF8(r.EngineVersion), Capture: numberOf(captures, r.Capture),
	}
}

// protocolFromProto returns the protocol of a record. Records that are older than the field
// are chat completions and embeddings.
func protocolFromProto(name string) record.Protocol {
	return record.Protocol(cmp.Or(limitText(name), string(record.ProtocolChat)))
}

// recordTime returns the time of a record, truncated to microseconds, the
// resolution of the store. If the record's own time is not on the day of its id,
// recordTime returns the id's time. Retention deletes by the id's day, so a
// record dated to another day would be deleted too early or too late.
func recordTime(t *timestamppb.Timestamp, id uuid.UUID) time.Time {
	sec, nsec := id.Time().UnixTime()
	moment := time.Unix(sec, nsec).UTC()
	if own := t.AsTime(); t.IsValid() && own.Truncate(day).Equal(moment.Truncate(day)) {
		moment = own
	}
	return moment.Truncate(time.Microsecond)
}

const day = 24 * time.Hour
