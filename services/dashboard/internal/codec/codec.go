// Package codec turns the record that travels, a protobuf message, into the
// ledger's own and back. It decides what can be read at all; it neither
// carries nor stores. The ingest decodes with it, the store encodes and
// decodes what it keeps.
package codec

import (
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

// Schema is the version of the message's meaning that is understood here.
const Schema = 1

// Decode reads an encoded RequestRecord. Texts and lists longer than a record
// needs are cut. An error means that the bytes will never be readable by this
// version, so there is no use in trying again; a SchemaError, that a newer one
// will.
func Decode(raw []byte) (*record.Record, error) {
	if schema := schemaOf(raw); schema > Schema {
		return nil, &SchemaError{schema}
	}
	var m recordv1.RequestRecord
	if err := proto.Unmarshal(raw, &m); err != nil {
		return nil, errors.New("not a record")
	}
	if m.GetSchema() != Schema {
		return nil, errors.New("no schema")
	}
	return fromProto(&m)
}

// Encode writes a record without its content, which is kept apart. Texts that
// are not UTF-8 are made so.
func Encode(r *record.Record) ([]byte, error) {
	b, err := proto.Marshal(toProto(r))
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	return b, nil
}

// Clean makes a text one that every store accepts: valid UTF-8 without NUL.
func Clean(s string) string {
	return strings.ReplaceAll(valid(s), "\x00", "\uFFFD")
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func fromProto(m *recordv1.RequestRecord) (*record.Record, error) {
	id, err := uuid.FromBytes(m.GetId())
	if err != nil || id.Version() != 7 {
		return nil, errors.New("the id is not a UUIDv7")
	}
	route, okRoute := routes.name(m.GetRoute())
	outcome, okOutcome := outcomes.name(m.GetOutcome())
	endpoint, okEndpoint := endpoints.name(m.GetEndpoint())
	basis, okBasis := bases.name(m.GetCostBasis())
	capture, okCapture := captures.name(m.GetCapture())
	switch {
	case m.GetAccountId() == "":
		return nil, errors.New("no account")
	case len(m.GetAccountId()) > maxText:
		return nil, errors.New("the account is not an id") // and cut it might be another's
	case !okRoute, !okOutcome, !okEndpoint, !okBasis, !okCapture:
		return nil, errors.New("an enumerated value is not known")
	}
	return &record.Record{
		ID: id, TraceID: hex.EncodeToString(first(m.GetTraceId(), traceLen)),
		ClientRequestID: text(m.GetClientRequestId()), ClientAddress: text(m.GetClientAddress()), ClientRetry: m.GetClientRetry(),
		AccountID: m.GetAccountId(), KeyID: text(m.GetKeyId()), KeyName: text(m.GetKeyName()),
		Time: when(m.GetTime(), id), Endpoint: endpoint, Stream: m.GetStream(),
		RequestedModel: text(m.GetRequestedModel()), Model: text(m.GetModel()), Provider: text(m.GetProvider()), Route: route,
		Reason:  reasonFromProto(m.GetReason()),
		Outcome: outcome, Status: m.GetStatus(), Code: text(m.GetCode()), Error: Cut(m.GetError(), maxError),
		Tokens: tokensFromProto(m.GetTokens()), Cost: m.CostNanoUsd, Costs: costsFromProto(m.GetCosts()), CostBasis: basis,
		BaselineModel: text(m.GetBaselineModel()), BaselineCost: m.BaselineNanoUsd,
		BaselineCosts: costsFromProto(m.GetBaselineCosts()), BaselinePrice: priceFromProto(m.GetBaselinePrice()),
		Latency: m.GetLatencyUs(), TTFT: m.GetTtftUs(), Gateway: m.GetGatewayUs(),
		AuthTime: m.GetAuthUs(), RouteTime: m.GetRouteUs(),
		Attempts: attemptsFromProto(m.GetAttempts()), Candidates: candidatesFromProto(m.GetCandidates()),
		Features: featuresFromProto(m.GetFeatures()), Inputs: inputsFromProto(m.GetDecisionInputs()), PolicyVersion: text(m.GetPolicyVersion()),
		CatalogVersion: text(m.GetCatalogVersion()), EngineVersion: text(m.GetEngineVersion()),
		Capture: capture, Content: contentFromProto(m.GetContent()),
	}, nil
}

func toProto(r *record.Record) *recordv1.RequestRecord {
	trace, _ := hex.DecodeString(r.TraceID) // empty when it is not hex: it never came from here
	return &recordv1.RequestRecord{
		Schema: Schema, Id: r.ID[:], TraceId: trace,
		ClientRequestId: valid(r.ClientRequestID), ClientAddress: valid(r.ClientAddress), ClientRetry: r.ClientRetry,
		AccountId: valid(r.AccountID), KeyId: valid(r.KeyID), KeyName: valid(r.KeyName),
		Time: timestamppb.New(r.Time), Endpoint: endpoints.value(r.Endpoint), Stream: r.Stream,
		RequestedModel: valid(r.RequestedModel), Model: valid(r.Model), Provider: valid(r.Provider), Route: routes.value(r.Route),
		Reason:  &recordv1.Reason{Code: valid(r.Reason.Code), Text: valid(r.Reason.Text), Rule: valid(r.Reason.Rule)},
		Outcome: outcomes.value(r.Outcome), Status: r.Status, Code: valid(r.Code), Error: valid(r.Error),
		Tokens: tokensToProto(r.Tokens), CostNanoUsd: r.Cost, Costs: costsToProto(r.Costs), CostBasis: bases.value(r.CostBasis),
		BaselineModel: valid(r.BaselineModel), BaselineNanoUsd: r.BaselineCost,
		BaselineCosts: costsToProto(r.BaselineCosts), BaselinePrice: priceToProto(r.BaselinePrice),
		LatencyUs: r.Latency, TtftUs: r.TTFT, GatewayUs: r.Gateway, AuthUs: r.AuthTime, RouteUs: r.RouteTime,
		Attempts: attemptsToProto(r.Attempts), Candidates: candidatesToProto(r.Candidates),
		Features: featuresToProto(r.Features), DecisionInputs: inputsToProto(r.Inputs), PolicyVersion: valid(r.PolicyVersion), CatalogVersion: valid(r.CatalogVersion),
		EngineVersion: valid(r.EngineVersion), Capture: captures.value(r.Capture),
	}
}

// when is the record's own time if that is on the day of its id, by which days
// are kept and dropped: else the id's, so that no record is counted on one day
// and removed with another. Microseconds are what the store orders by.
func when(t *timestamppb.Timestamp, id uuid.UUID) time.Time {
	sec, nsec := id.Time().UnixTime()
	moment := time.Unix(sec, nsec).UTC()
	if own := t.AsTime(); t.IsValid() && own.Truncate(day).Equal(moment.Truncate(day)) {
		moment = own
	}
	return moment.Truncate(time.Microsecond)
}

const day = 24 * time.Hour
