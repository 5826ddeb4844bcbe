package dashboard_test

import (
	"encoding/csv"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// period is the part of an overview about one period.
type period struct {
	figures
	OK       int64 `json:"ok"`
	Rejected int64 `json:"rejected"`
	Fallback int64 `json:"fallback"`
	Policy   int64 `json:"policy"`
}

// TestPagesShowSameTotals checks that Overview, Impact and Requests show the same totals
// for the same filter and range, to the last nano-dollar.
func TestPagesShowSameTotals(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	r := rand.New(rand.NewPCG(7, 8))
	var all []*recordv1.RequestRecord
	for n := range 450 {
		all = append(all, newRecord(account, n*61, func(m *recordv1.RequestRecord) {
			m.Model = []string{"small", "large"}[r.IntN(2)]
			m.Route, m.Outcome = recordv1.Route(r.IntN(4)), recordv1.Outcome(1+r.IntN(6))
			m.CostNanoUsd, m.BaselineNanoUsd = someAmount(r), someAmount(r)
		}))
	}
	h.publish(all...)
	first := url.Values{"from": {"2026-11-14T12:00:00Z"}, "to": {"2026-11-14T15:17:14Z"}}
	second := url.Values{"from": {"2026-11-14T15:17:14Z"}, "to": {"2026-11-14T18:34:28Z"}}
	for _, filter := range []string{"", "model:small", "route:fallback route:policy", "saved:<0", "is:unpriced", "-outcome:ok"} {
		first.Set("filter", filter)
		second.Set("filter", filter)
		before, now := b.rows(first), b.rows(second)
		require.Positive(t, now.Requests, filter)

		var overview struct {
			Now, Before period
			Histogram   struct{ Buckets []map[string]any }
		}
		b.read("/overview?"+second.Encode(), &overview)
		require.Equal(t, now, overview.Now, filter)
		require.Equal(t, before, overview.Before, filter)
		require.Equal(t, now.Requests, drawn(overview.Histogram.Buckets), filter)
		require.Equal(t, now.Fallback, drawnAs(overview.Histogram.Buckets, "fallback"), filter)
		require.Equal(t, now.Policy, drawnAs(overview.Histogram.Buckets, "policy"), filter)

		var impact struct{ figures }
		b.read("/impact?"+second.Encode(), &impact)
		require.Equal(t, now.figures, impact.figures, filter)
	}
}

// TestHistogramOfAnyRange includes the range of all time.
func TestHistogramOfAnyRange(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	h.publish(newRecord(account, 1, nil), newRecord(account, 2, nil))
	for _, span := range []string{"from=1970-01-01&to=9999-12-31", "from=2026-11-14&to=2300-01-01", "from=2026-11-14&to=2026-11-15"} {
		var overview struct {
			Now       period
			Histogram struct{ Buckets []map[string]any }
		}
		b.read("/overview?"+span, &overview)
		require.EqualValues(t, 2, overview.Now.Requests, span)
		require.EqualValues(t, 2, drawn(overview.Histogram.Buckets), span)
	}
}

// read decodes a response.
func (b *browser) read(path string, into any) {
	b.h.t.Helper()
	a := b.api("GET", path, "")
	require.Equal(b.h.t, http.StatusOK, a.status, a.body)
	require.NoError(b.h.t, json.Unmarshal([]byte(a.body), into), a.body)
}

// rows sums up the request list page by page.
func (b *browser) rows(query url.Values) (sum period) {
	b.h.t.Helper()
	for cursor := ""; ; {
		var page struct {
			Items []struct {
				Route, Outcome string
				Cost           *int64 `json:"cost_nano_usd"`
				Kept           *int64 `json:"saved_nano_usd"`
				Baseline       struct {
					Cost *int64 `json:"cost_nano_usd"`
				}
			}
			Next *string `json:"next_cursor"`
		}
		b.read("/requests?limit=200&cursor="+cursor+"&"+query.Encode(), &page)
		for _, r := range page.Items {
			sum.Requests++
			sum.Routed += known(r.Cost)
			sum.Baseline += known(r.Baseline.Cost)
			sum.Kept += known(r.Kept)
			sum.Unpriced += one(r.Kept == nil)
			sum.OK += one(r.Outcome == "ok")
			sum.Rejected += one(r.Outcome == "rejected")
			served := r.Outcome == "ok" || r.Outcome == "client_closed"
			sum.Fallback += one(served && r.Route == "fallback")
			sum.Policy += one(served && r.Route == "policy")
		}
		if page.Next == nil {
			return sum
		}
		cursor = *page.Next
	}
}

func known(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

func one(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

// drawn sums up the bars of a histogram.
func drawn(bars []map[string]any) int64 {
	return drawnAs(bars, "expected", "fallback", "policy", "error")
}

// drawnAs sums up some parts of the bars of a histogram.
func drawnAs(bars []map[string]any, ways ...string) (n int64) {
	for _, bar := range bars {
		for _, way := range ways {
			n += int64(bar[way].(float64))
		}
	}
	return n
}

// TestABreakdownAsCSV checks that the rows add up to the total, and that no cell is
// a formula.
func TestABreakdownAsCSV(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	h.publish(
		newRecord(account, 1, func(r *recordv1.RequestRecord) { r.RequestedModel = "=cmd()" }),
		newRecord(account, 2, func(r *recordv1.RequestRecord) { r.CostNanoUsd = proto.Int64(5000) }),
		newRecord(account, 3, func(r *recordv1.RequestRecord) { r.CostNanoUsd = nil }),
	)
	const span = "from=2026-11-14&to=2026-11-15&format=csv"
	a := b.api("GET", "/impact?group_by=requested_model&"+span, "")
	require.Equal(t, "text/csv; charset=utf-8", a.header.Get("Content-Type"))
	require.Equal(t, lines(
		"requested_model,name,requests,routed_nano_usd,baseline_nano_usd,saved_nano_usd,unpriced",
		"auto,,2,5000,2000,-4000,1",
		"'=cmd(),,1,100,1000,900,0",
	), a.body)
	require.Equal(t, lines(
		"group,name,requests,routed_nano_usd,baseline_nano_usd,saved_nano_usd,unpriced",
		"all,,3,5100,3000,-3100,1",
	), b.api("GET", "/impact?"+span, "").body)
	require.Contains(t, b.api("GET", "/impact?group_by=key&"+span, "").body, "\nkey_1,prod,3,")
	details := b.api("GET", "/impact?format=xls", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "format", details["param"])
}

func lines(all ...string) string { return strings.Join(all, "\n") + "\n" }

// TestASmallerGroupIsNamedInTheCSV checks that the merged group differs from the
// group without a value.
func TestASmallerGroupIsNamedInTheCSV(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	var all []*recordv1.RequestRecord
	for n := range 201 {
		all = append(all, newRecord(account, n, func(r *recordv1.RequestRecord) { r.RequestedModel = "m" + strconv.Itoa(n) }))
	}
	h.publish(all...)
	rows, err := csv.NewReader(strings.NewReader(b.api("GET", "/impact?group_by=requested_model&from=2026-11-14&format=csv", "").body)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 202)
	require.Equal(t, []string{"", "all smaller groups", "1", "100", "1000", "900", "0"}, rows[201])
}
