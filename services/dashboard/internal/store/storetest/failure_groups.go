package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/failure"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// failureGroups checks that every failed request is in one group, and that the filter of
// each group selects exactly its requests.
func failureGroups(t *testing.T, s *store.Store) {
	n := 0
	fail := func(times int, change func(*record.Record)) (made []*record.Record) {
		for range times {
			n++
			r := Make("acc", n)
			r.Outcome, r.Model, r.Provider, r.Route = record.OutcomeRejected, "", "", ""
			change(r)
			made = append(made, r)
		}
		return made
	}
	limit := func(code, text, key string) func(*record.Record) {
		return func(r *record.Record) { r.Code, r.Error, r.KeyID, r.KeyName = code, text, "id_"+key, key }
	}
	var all []*record.Record
	for _, made := range [][]*record.Record{
		fail(14, limit("RATE_LIMIT_EXCEEDED", "the key's limit of 3 requests per minute is reached; try again in 2 s", "ci")),
		fail(3, limit("RATE_LIMIT_EXCEEDED", "the key's limit of 100 tokens per minute is reached: 2 are left", "ci")),
		fail(2, limit("RATE_LIMIT_EXCEEDED", "the account's limit of 9 requests per minute is reached", "ci")),
		fail(1, limit("RATE_LIMIT_EXCEEDED", "the account's limit of 9 requests per minute is reached", "web")),
		fail(4, limit("BUDGET_EXCEEDED", "the key's budget of $1.00 a day is used up: $1.00 is spent", "ci")),
		fail(5, limit("BUDGET_EXCEEDED", "the key's budget of $9.00 a month is used up: $9.00 is spent", "ci")),
		fail(6, limit("CONCURRENCY_LIMIT_EXCEEDED", "the key's limit of 2 concurrent requests is reached", "web")),
		fail(7, func(r *record.Record) { r.Code, r.RequestedModel = "MODEL_NOT_FOUND", `gpt "9": *` }),
		fail(8, func(r *record.Record) { r.Code, r.RequestedModel = "MODEL_NOT_FOUND", "gpt 9" }),
		fail(9, func(r *record.Record) { r.Code, r.Provider = "PROVIDER_STREAM_INTERRUPTED", "alpha" }),
		fail(10, func(r *record.Record) { r.Code = "PROVIDER_OVERLOADED" }),
		fail(11, func(r *record.Record) { r.Code, r.Error = "", "no code" }),
		fail(12, func(r *record.Record) { r.Code, r.Reason.Rule = "POLICY_DENIED", "night" }),
		fail(13, func(r *record.Record) { r.Code = "NEW_CODE" }),
		fail(15, limit("BUDGET_EXCEEDED", "", "redacted")),
		fail(16, func(r *record.Record) {
			r.Code, r.RequestedModel, r.Error = "MODEL_NOT_FOUND", "gpt 9", `model "gpt 9" is for embeddings, not for chat`
		}),
		fail(17, func(r *record.Record) {
			r.Code, r.RequestedModel, r.Error = "MODEL_NOT_FOUND", "x, not for y", `model or route "x, not for y" does not exist`
		}),
		fail(18, func(r *record.Record) {
			r.Code, r.RequestedModel, r.Error = "MODEL_NOT_FOUND", `x" is for y, not for z`, `model or route "x\" is for y, not for z" does not exist`
		}),
		{Make("acc", 9000), limited(Make("other", 9001))},
	} {
		all = append(all, made...)
	}
	insert(t, s, all...)
	q := record.Query{Account: "acc", From: Base(), To: Base().Add(24 * time.Hour)}
	sum, err := s.Failures(t.Context(), q, time.Minute)
	require.NoError(t, err)
	require.EqualValues(t, 171, sum.Requests)
	require.Zero(t, sum.OtherGroups)
	require.Len(t, sum.Groups, 17)
	var total int64
	for _, g := range sum.Groups {
		total += g.Requests
		requireExactGroup(t, s, q, g)
	}
	require.Equal(t, sum.Requests, total)
	require.Equal(t, "14 requests hit ci's limit of 3 requests per minute: raise the limit or add a second key", sum.Groups[4].Sentence(false, nil))
	require.Equal(t, "15 requests did not fit into redacted's limit: raise the budget, or use cheaper models", sum.Groups[3].Sentence(false, nil))
	require.Equal(t, "16 requests asked for gpt 9, which is for embeddings, not for chat: use a model for chat, or the endpoint for embeddings", sum.Groups[2].Sentence(true, nil))
	for _, g := range sum.Groups[:2] {
		require.False(t, g.OtherKind, "the words are in the name: %s", g.Subject)
	}

	later := record.Query{Account: "acc", From: Base().Add(24 * time.Hour), To: Base().Add(48 * time.Hour)}
	again := Make("acc", 9002)
	At(again, later.From.Add(time.Hour))
	limit("RATE_LIMIT_EXCEEDED", "the key's limit of 5 requests per minute is reached", "renamed")(again)
	again.KeyID = "id_ci"
	insert(t, s, again)
	sum, err = s.Failures(t.Context(), later, time.Hour)
	require.NoError(t, err)
	require.Len(t, sum.Groups, 1)
	require.EqualValues(t, 14, sum.Groups[0].Before)
	require.Equal(t, "1 request hit renamed's limit of 5 requests per minute: raise the limit or add a second key", sum.Groups[0].Sentence(false, nil))
}

func limited(r *record.Record) *record.Record {
	r.Code, r.Error = "RATE_LIMIT_EXCEEDED", "the key's limit of 3 requests per minute is reached"
	return r
}

func requireExactGroup(t *testing.T, s *store.Store, q record.Query, g failure.Group) {
	t.Helper()
	var steps int64
	for i, step := range g.Steps {
		steps += step.Requests
		require.True(t, i == 0 || step.Start.After(g.Steps[i-1].Start))
	}
	require.Equal(t, g.Requests, steps)
	text, ok := g.Filter()
	if g.Subject == `gpt "9": *` || strings.Contains(g.Subject, failure.OtherKindWords) {
		require.False(t, ok)
		return
	}
	require.True(t, ok, g.Key)
	found := filter(t, q.Account, text)
	found.From, found.To = q.From, q.To
	page, err := s.Page(t.Context(), found, nil, 200)
	require.NoError(t, err)
	require.Len(t, page.Items, int(g.Requests), text)
	require.Equal(t, g.Newest, page.Items[0].Time, text)
	require.Equal(t, g.Oldest, page.Items[len(page.Items)-1].Time, text)
	require.Equal(t, g.NewestError, page.Items[0].Error, text)
}
