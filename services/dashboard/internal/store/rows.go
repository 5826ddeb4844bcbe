package store

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// maxErrorBytes is the maximum length of the error text that searches use. The
	// encoded record contains the full text.
	maxErrorBytes = 500
	// maxNameBytes is the maximum length of an indexed name. An entry of the failure
	// index contains six names and the error text. maxNameBytes and maxErrorBytes keep
	// the entry below 2704 bytes, the maximum of Postgres. Real names are far shorter,
	// and the encoded record contains the full name.
	maxNameBytes = 256
)

var requestsTable = table{name: "requests", key: "id, day", reportNew: true, columns: []column{
	{"id", kindBytes}, {"day", kindInt}, {"time_us", kindInt}, {"account_id", kindText}, {"key_id", kindText}, {"key_name", kindText},
	{"endpoint", kindText}, {"requested_model", kindText}, {"model", kindText}, {"provider", kindText}, {"route", kindText},
	{"outcome", kindText}, {"reason_code", kindText}, {"status", kindInt}, {"code", kindText}, {"error", kindText}, {"stream", kindInt},
	{"input_tokens", kindInt}, {"cache_read_tokens", kindInt}, {"cache_write_tokens", kindInt}, {"output_tokens", kindInt},
	{"reasoning_tokens", kindInt}, {"cost_nano_usd", kindNullableInt}, {"cost_basis", kindText}, {"baseline_model", kindText},
	{"baseline_nano_usd", kindNullableInt}, {"latency_us", kindInt}, {"ttft_us", kindInt}, {"gateway_us", kindInt},
	{"policy_version", kindText}, {"client_request_id", kindText}, {"record", kindBytes},
}}

var contentTable = table{name: "content", key: "id, day", columns: []column{
	{"id", kindBytes}, {"day", kindInt}, {"account_id", kindText}, {"request", kindBytes}, {"response", kindBytes},
	{"request_bytes", kindInt}, {"response_bytes", kindInt}, {"encoding", kindInt},
}}

var deadLettersTable = table{name: "dead_letters", key: "producer, seq", columns: []column{
	{"producer", kindText}, {"seq", kindInt}, {"received_us", kindInt}, {"reason", kindText}, {"record", kindBytes},
	{"parked", kindInt}, {"schema", kindInt},
}}

// sortUnique sorts the records by id and removes duplicates. Two instances that
// store the same records in different orders could deadlock.
func sortUnique(all []*record.Record) []*record.Record {
	sorted := slices.Clone(all)
	order := func(a, b *record.Record) int { return bytes.Compare(a.ID[:], b.ID[:]) }
	slices.SortStableFunc(sorted, order)
	return slices.CompactFunc(sorted, func(a, b *record.Record) bool { return a.ID == b.ID })
}

func requestRow(r *record.Record) ([]any, error) {
	encoded, err := codec.Encode(r)
	if err != nil {
		return nil, errors.Join(record.ErrRejected, err)
	}
	g := hourlyKey(r)
	if len(g.account) > maxNameBytes { // a truncated id could be the id of another account
		return nil, errors.Join(record.ErrRejected, errors.New("the account id is too long"))
	}
	return []any{
		r.ID[:], record.DayOfID(r.ID), r.Time.UnixMicro(), g.account, g.keyID, g.keyName,
		r.Endpoint, codec.CleanText(r.RequestedModel), g.model, g.provider, g.route,
		g.outcome, codec.CleanText(r.Reason.Code), int64(r.Status), codec.Truncate(codec.CleanText(r.Code), maxNameBytes), codec.Truncate(codec.CleanText(r.Error), maxErrorBytes), g.stream,
		r.Tokens.Input, r.Tokens.CacheRead, r.Tokens.CacheWrite, r.Tokens.Output,
		r.Tokens.Reasoning, r.Cost, string(r.CostBasis), codec.CleanText(r.BaselineModel),
		r.BaselineCost, r.Latency, r.TTFT, r.Gateway,
		codec.CleanText(r.PolicyVersion), codec.CleanText(r.ClientRequestID), encoded,
	}, nil
}

func (s *Store) contentRow(r *record.Record) []any {
	packed := s.compressor.compress(r.Content)
	return []any{
		r.ID[:], record.DayOfID(r.ID), codec.CleanText(r.AccountID), packed.request, packed.response,
		r.Content.RequestBytes, r.Content.ResponseBytes, packed.encoding,
	}
}

// deadLetterRows returns the rows sorted by id, because two instances with
// different orders could deadlock.
func deadLetterRows(all []record.DeadLetter, now time.Time) [][]any {
	var rows [][]any
	for _, d := range all {
		rows = append(rows, []any{
			codec.CleanText(d.Entry.Producer), clampSeq(d.Entry.Seq), now.UnixMicro(), codec.CleanText(d.Reason), nonNil(d.Entry.Record),
			toBit(d.Parked), int64(d.Schema),
		})
	}
	slices.SortStableFunc(rows, func(a, b []any) int {
		x := record.DeadLetterID{Producer: a[0].(string), Seq: a[1].(int64)}
		return x.Compare(record.DeadLetterID{Producer: b[0].(string), Seq: b[1].(int64)})
	})
	return rows
}

func toBit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// nonNil keeps a nil slice from becoming NULL in the database.
func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
