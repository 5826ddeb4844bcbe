package store

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/bulk"
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

var requestsTable = bulk.Table{Name: "requests", Key: "id, day", ReportNew: true, Columns: []bulk.Column{
	bulk.Bytes("id"), bulk.Int("day"), bulk.Int("time_us"), bulk.Text("account_id"), bulk.Text("key_id"), bulk.Text("key_name"),
	bulk.Text("endpoint"), bulk.Text("requested_model"), bulk.Text("model"), bulk.Text("provider"), bulk.Text("route"),
	bulk.Text("outcome"), bulk.Text("reason_code"), bulk.Int("status"), bulk.Text("code"), bulk.Text("error"), bulk.Int("stream"),
	bulk.Int("input_tokens"), bulk.Int("cache_read_tokens"), bulk.Int("cache_write_tokens"), bulk.Int("output_tokens"),
	bulk.Int("reasoning_tokens"), bulk.NullableInt("cost_nano_usd"), bulk.Text("cost_basis"), bulk.Text("baseline_model"),
	bulk.NullableInt("baseline_nano_usd"), bulk.Int("latency_us"), bulk.Int("ttft_us"), bulk.Int("gateway_us"),
	bulk.Text("policy_version"), bulk.Text("client_request_id"), bulk.Text("protocol"), bulk.Text("agent"),
	bulk.Text("session"), bulk.Text("end_user"), bulk.Int("side_call"), bulk.Text("rule"), bulk.JSON("labels"), bulk.Bytes("record"),
}}

var contentTable = bulk.Table{Name: "content", Key: "id, day", Columns: []bulk.Column{
	bulk.Bytes("id"), bulk.Int("day"), bulk.Text("account_id"), bulk.Bytes("request"), bulk.Bytes("response"),
	bulk.Int("request_bytes"), bulk.Int("response_bytes"), bulk.Int("encoding"),
}}

var deadLettersTable = bulk.Table{Name: "dead_letters", Key: "producer, seq", Columns: []bulk.Column{
	bulk.Text("producer"), bulk.Int("seq"), bulk.Int("received_us"), bulk.Text("reason"), bulk.Bytes("record"),
	bulk.Int("parked"), bulk.Int("schema"),
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
	labels, err := labelsOf(r)
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
		g.outcome, codec.CleanText(r.Reason.Code), int64(r.Status), limitName(r.Code), codec.Truncate(codec.CleanText(r.Error), maxErrorBytes), g.stream,
		r.Tokens.Input, r.Tokens.CacheRead, r.Tokens.CacheWrite, r.Tokens.Output,
		r.Tokens.Reasoning, r.Cost, string(r.CostBasis), codec.CleanText(r.BaselineModel),
		r.BaselineCost, r.Latency, r.TTFT, r.Gateway,
		codec.CleanText(r.PolicyVersion), codec.CleanText(r.ClientRequestID), codec.CleanText(string(r.Protocol)), codec.CleanText(r.Agent),
		limitName(r.Session), limitName(r.User), toBit(r.SideCall), limitName(r.Reason.Rule), labels, encoded,
	}, nil
}

// limitName returns the form of a text in which it is indexed.
func limitName(s string) string { return codec.Truncate(codec.CleanText(s), maxNameBytes) }

func (s *Store) contentRow(r *record.Record) []any {
	packed := s.compressor.Compress(r.Content)
	return []any{
		r.ID[:], record.DayOfID(r.ID), codec.CleanText(r.AccountID), packed.Request, packed.Response,
		r.Content.RequestBytes, r.Content.ResponseBytes, packed.Encoding,
	}
}

// deadLetterRows returns the rows sorted by id, because two instances with
// different orders could deadlock.
func deadLetterRows(all []record.DeadLetter, now time.Time) [][]any {
	var rows [][]any
	for _, d := range all {
		rows = append(rows, []any{
			codec.CleanText(d.Entry.Producer), clampSeq(d.Entry.Seq), now.UnixMicro(), codec.CleanText(d.Reason), codec.NonNil(d.Entry.Record),
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
