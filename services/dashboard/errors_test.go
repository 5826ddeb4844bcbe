package dashboard_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

type errorCause struct {
	Code, Name, Sentence, Filter string
	Requests, Before             int64
	NextStep                     struct{ Text, Link string } `json:"next_step"`
}

type errorCauses struct {
	Requests int64
	Items    []errorCause
	Codes    []struct {
		Code     string
		Requests int64
	}
}

const errorSpan = "from=2026-11-14&to=2026-11-15"

// TestErrorsAreExplained checks that each cause has a sentence and a next step, and that its
// number is that of the requests that its link shows.
func TestErrorsAreExplained(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	_, other := h.registerUser("b@example.com")
	operator := h.claimOperator()
	own := operator.api("GET", "/account", "").json(t)["id"].(string)
	var all []*recordv1.RequestRecord
	for n := range 14 {
		all = append(all, failedRecord(account, n, "RATE_LIMIT_EXCEEDED", "the key's limit of 3 requests per minute is reached; try again in 2 s"))
	}
	for n := range 3 {
		for _, who := range []string{account, own} {
			r := failedRecord(who, n, "PROVIDER_OVERLOADED", "the provider is overloaded")
			r.Attempts = []*recordv1.Attempt{{Provider: "alpha", Model: "small", Code: "PROVIDER_OVERLOADED"}}
			all = append(all, r)
		}
	}
	all = append(all, failedRecord(other, 1, "INTERNAL_ERROR", "other"), newRecord(account, 1, nil))
	h.publish(all...)

	var got errorCauses
	b.read("/errors?"+errorSpan, &got)
	require.EqualValues(t, 17, got.Requests)
	require.Len(t, got.Items, 2)
	require.Len(t, got.Codes, 2)
	require.EqualValues(t, 14, got.Codes[0].Requests)
	require.Equal(t, "14 requests hit prod's limit of 3 requests per minute: raise the limit or add a second key", got.Items[0].Sentence)
	require.Equal(t, "/keys/key_1", got.Items[0].NextStep.Link)
	require.Equal(t, "3 requests failed because the provider was overloaded (small at alpha): retry, or ask the operator to add another provider", got.Items[1].Sentence)
	require.Equal(t, "/docs/errors#PROVIDER_OVERLOADED", got.Items[1].NextStep.Link)
	for _, c := range got.Items {
		query, err := url.ParseQuery(errorSpan)
		require.NoError(t, err)
		query.Set("filter", c.Filter)
		require.Equal(t, c.Requests, b.rows(query).Requests, c.Filter)
	}

	operator.read("/errors?"+errorSpan, &got)
	require.Len(t, got.Items, 1)
	require.Equal(t, "3 requests failed because the provider was overloaded (small at alpha): add another provider as a fallback", got.Items[0].Sentence)
	require.Equal(t, "/providers", got.Items[0].NextStep.Link)

	b.read("/errors?from=2026-11-15&to=2026-11-16", &got)
	require.Zero(t, got.Requests)
	b.api("GET", "/errors?from=2026-11-16&to=2026-11-15", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
}

func failedRecord(account string, n int, code, message string) *recordv1.RequestRecord {
	return newRecord(account, n, func(r *recordv1.RequestRecord) {
		r.Outcome, r.Code, r.Error, r.Model, r.Provider, r.Route = recordv1.Outcome_OUTCOME_ERROR, code, message, "", "", 0
	})
}
