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
	// maxError is what searches need of an error; the record has all of it.
	maxError = 500
	// maxName bounds what is in an index, together with maxError: the one of
	// failures has seven texts, and Postgres takes 2704 bytes. No real name
	// comes near; the record has all of it.
	maxName = 256
)

var requestsTable = table{name: "requests", key: "id, day", tell: true, columns: []column{
	{"id", aBlob}, {"day", aCount}, {"time_us", aCount}, {"account_id", aText}, {"key_id", aText}, {"key_name", aText},
	{"endpoint", aText}, {"requested_model", aText}, {"model", aText}, {"provider", aText}, {"route", aText},
	{"outcome", aText}, {"reason_code", aText}, {"status", aCount}, {"code", aText}, {"error", aText}, {"stream", aCount},
	{"input_tokens", aCount}, {"cache_read_tokens", aCount}, {"cache_write_tokens", aCount}, {"output_tokens", aCount},
	{"reasoning_tokens", aCount}, {"cost_nano_usd", anAmount}, {"cost_basis", aText}, {"baseline_model", aText},
	{"baseline_nano_usd", anAmount}, {"latency_us", aCount}, {"ttft_us", aCount}, {"gateway_us", aCount},
	{"policy_version", aText}, {"client_request_id", aText}, {"record", aBlob},
}}

var contentTable = table{name: "content", key: "id, day", columns: []column{
	{"id", aBlob}, {"day", aCount}, {"account_id", aText}, {"request", aBlob}, {"response", aBlob},
	{"request_bytes", aCount}, {"response_bytes", aCount}, {"encoding", aCount},
}}

var lettersTable = table{name: "dead_letters", key: "producer, seq", columns: []column{
	{"producer", aText}, {"seq", aCount}, {"received_us", aCount}, {"reason", aText}, {"record", aBlob},
	{"parked", aCount}, {"schema", aCount},
}}

// each sorts the records by id, and leaves out what comes twice: instances
// that store the same records wait for each other in one order, not in a ring.
func each(all []*record.Record) []*record.Record {
	sorted := slices.Clone(all)
	order := func(a, b *record.Record) int { return bytes.Compare(a.ID[:], b.ID[:]) }
	slices.SortStableFunc(sorted, order)
	return slices.CompactFunc(sorted, func(a, b *record.Record) bool { return a.ID == b.ID })
}

func requestRow(r *record.Record) ([]any, error) {
	encoded, err := codec.Encode(r)
	if err != nil {
		return nil, errors.Join(record.ErrRefused, err)
	}
	g := groupOf(r)
	if len(g.account) > maxName { // and cut it might be another's
		return nil, errors.Join(record.ErrRefused, errors.New("the account's id is too long"))
	}
	return []any{
		r.ID[:], record.Day(r.ID), r.Time.UnixMicro(), g.account, g.keyID, g.keyName,
		r.Endpoint, codec.Clean(r.RequestedModel), g.model, g.provider, g.route,
		g.outcome, codec.Clean(r.Reason.Code), int64(r.Status), codec.Cut(codec.Clean(r.Code), maxName), codec.Cut(codec.Clean(r.Error), maxError), g.stream,
		r.Tokens.Input, r.Tokens.CacheRead, r.Tokens.CacheWrite, r.Tokens.Output,
		r.Tokens.Reasoning, r.Cost, string(r.CostBasis), codec.Clean(r.BaselineModel),
		r.BaselineCost, r.Latency, r.TTFT, r.Gateway,
		codec.Clean(r.PolicyVersion), codec.Clean(r.ClientRequestID), encoded,
	}, nil
}

func (s *Store) contentRow(r *record.Record) []any {
	packed := s.packer.pack(r.Content)
	return []any{
		r.ID[:], record.Day(r.ID), codec.Clean(r.AccountID), packed.request, packed.response,
		r.Content.RequestBytes, r.Content.ResponseBytes, packed.encoding,
	}
}

// letterRows are in the order of their names, for the reason that records are.
func letterRows(all []record.DeadLetter, now time.Time) [][]any {
	var rows [][]any
	for _, d := range all {
		rows = append(rows, []any{
			codec.Clean(d.Entry.Producer), seq(d.Entry.Seq), now.UnixMicro(), codec.Clean(d.Reason), notNil(d.Entry.Record),
			bit(d.Parked), int64(d.Schema),
		})
	}
	slices.SortStableFunc(rows, func(a, b []any) int {
		x := record.LetterID{Producer: a[0].(string), Seq: a[1].(int64)}
		return x.Compare(record.LetterID{Producer: b[0].(string), Seq: b[1].(int64)})
	})
	return rows
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// notNil keeps empty bytes from becoming NULL.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
