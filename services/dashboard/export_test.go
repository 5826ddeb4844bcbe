package dashboard_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/manifest"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard"
)

// exported is an export with its trailer.
func (b *browser) exported(query string) (body string, header, trailer http.Header) {
	b.h.t.Helper()
	r, err := http.NewRequestWithContext(b.h.t.Context(), http.MethodGet, b.h.url+"/api/v1/requests/export?"+query, nil)
	require.NoError(b.h.t, err)
	resp, err := b.http.Do(r)
	require.NoError(b.h.t, err)
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	require.NoError(b.h.t, err)
	require.Equal(b.h.t, http.StatusOK, resp.StatusCode, string(text))
	return string(text), resp.Header, resp.Trailer
}

// TestManifestMatchesExportedBytes checks that a manifest requested later covers the same
// bytes, even if records were stored in between.
func TestManifestMatchesExportedBytes(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	now := time.Now()
	at := func(ago time.Duration) func(*recordv1.RequestRecord) {
		return func(m *recordv1.RequestRecord) { m.Time = timestamppb.New(now.Add(-ago)) }
	}
	var all []*recordv1.RequestRecord
	for n := range 1100 { // more than two pages
		all = append(all, newRecord(account, 0, at(time.Duration(n)*time.Second)))
	}
	h.publish(all...)
	for _, format := range []string{"csv", "ndjson"} {
		body, header, trailer := b.exported("format=" + format + "&filter=model:small")
		query := url.Values{"format": {format}, "filter": {"model:small"}, "to": {header.Get("X-Signalbox-Export-To")}}.Encode()
		h.publish(newRecord(account, 0, at(-time.Hour)))
		sums := b.api("GET", "/requests/export/manifest?"+query, "")
		require.Equal(t, http.StatusOK, sums.status)
		report, err := manifest.Verify(strings.NewReader(body), strings.NewReader(sums.body))
		require.NoError(t, err)
		require.True(t, report.OK(), "%+v", report)
		require.True(t, report.Summary.MayGrow, "requests of that time may still be running")
		require.EqualValues(t, 1100, report.Summary.Rows)
		require.Equal(t, query, report.Summary.Query)
		require.Equal(t, "1100", trailer.Get("X-Signalbox-Export-Rows"))
		require.Equal(t, report.Summary.SHA256, trailer.Get("X-Signalbox-Export-Sha256"))
		require.Equal(t, report.Summary.Root, trailer.Get("X-Signalbox-Export-Root"))
		again, _, _ := b.exported(query)
		require.Equal(t, body, again, "the same query, the same bytes")
	}
	b.api("GET", "/requests/export/manifest?format=csv", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
}

// TestRecentManifestIsMarkedOpen checks that the manifest of an export up to now is
// marked open: records arrive only when their requests end.
func TestRecentManifestIsMarkedOpen(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	began := func(ago time.Duration) *recordv1.RequestRecord {
		return newRecord(account, 0, func(m *recordv1.RequestRecord) { m.Time = timestamppb.New(time.Now().Add(-ago)) })
	}
	h.publish(began(time.Hour))
	for _, ago := range []time.Duration{0, manifest.SettlingTime} {
		to := time.Now().Add(-ago).UTC().Format(time.RFC3339Nano)
		query := url.Values{"format": {"ndjson"}, "to": {to}}.Encode()
		body, _, trailer := b.exported(query)
		h.publish(began(ago + 20*time.Second))
		sums := b.api("GET", "/requests/export/manifest?"+query, "")
		report, err := manifest.Verify(strings.NewReader(body), strings.NewReader(sums.body))
		require.NoError(t, err)
		require.Equal(t, 1, report.Missing.Count)
		require.Equal(t, ago == 0, report.Summary.MayGrow)
		require.NotEqual(t, trailer.Get("X-Signalbox-Export-Root"), report.Summary.Root)
	}
}

// TestTotalsEqualExportedRows checks that for every filter the totals equal the sum of
// the exported rows, to the last nano-dollar.
func TestTotalsEqualExportedRows(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	r := rand.New(rand.NewPCG(5, 6))
	var all []*recordv1.RequestRecord
	for n := range 700 {
		all = append(all, newRecord(account, n*61, func(m *recordv1.RequestRecord) {
			m.Model = []string{"small", "large", "tiny"}[r.IntN(3)]
			m.Provider = []string{"alpha", "beta"}[r.IntN(2)]
			m.KeyId = "key_" + strconv.Itoa(r.IntN(3))
			m.Route = recordv1.Route(r.IntN(4))
			m.CostNanoUsd, m.BaselineNanoUsd = someAmount(r), someAmount(r)
		}))
	}
	h.publish(all...)
	for _, filter := range []string{
		"", "model:small", "model:large provider:beta", "route:fallback", "key:key_1 model:tiny", "provider:alpha route:policy route:expected",
		"-model:small", "model:l*", "saved:<0", "cost:>5m -provider:beta", "is:unpriced", "has:price tiny", "status:500",
	} {
		for _, span := range []string{"from=2026-11-14&to=2026-11-16", "from=2026-11-14T13:07:11Z&to=2026-11-14T20:00:00.5Z"} {
			query := span + "&filter=" + url.QueryEscape(filter)
			body, _, _ := b.exported("format=csv&" + query)
			want := sumRows(t, body)
			for _, by := range groupings(filter) {
				answer := b.api("GET", "/impact?group_by="+by+"&"+query, "")
				var impact struct {
					figures
					Groups, Series []figures
				}
				require.NoError(t, json.Unmarshal([]byte(answer.body), &impact), answer.body)
				require.Equal(t, want, impact.figures, "%s by %s", query, by)
				require.Equal(t, want, total(impact.Series), "%s by %s", query, by)
				if by != "" {
					require.Equal(t, want, total(impact.Groups), "%s by %s", query, by)
				}
			}
		}
	}
}

// groupings returns all groupings for all records, and cheap ones for a subset.
func groupings(filter string) []string {
	if filter == "" {
		return []string{"", "model", "provider", "key", "day", "route", "requested_model", "protocol", "agent", "session", "user", "rule", "endpoint", "meta.team"}
	}
	return []string{"model"}
}

// figures are sums by their names in the API.
type figures struct {
	Requests int64 `json:"requests"`
	Routed   int64 `json:"routed_nano_usd"`
	Baseline int64 `json:"baseline_nano_usd"`
	Kept     int64 `json:"saved_nano_usd"`
	Unpriced int64 `json:"unpriced"`
}

func total(all []figures) (sum figures) {
	for _, f := range all {
		sum.Requests += f.Requests
		sum.Routed += f.Routed
		sum.Baseline += f.Baseline
		sum.Kept += f.Kept
		sum.Unpriced += f.Unpriced
	}
	return sum
}

// someAmount is unknown, zero, or random below a thousand dollars.
func someAmount(r *rand.Rand) *int64 {
	switch r.IntN(8) {
	case 0:
		return nil
	case 1:
		return proto.Int64(0)
	}
	return proto.Int64(r.Int64N(1_000_000_000_000) >> r.IntN(40))
}

func sumRows(t *testing.T, body string) (sum figures) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	require.NoError(t, err)
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	for _, row := range rows[1:] {
		sum.Requests++
		for name, to := range map[string]*int64{"cost_nano_usd": &sum.Routed, "baseline_nano_usd": &sum.Baseline, "saved_nano_usd": &sum.Kept} {
			if text := row[column[name]]; text != "" {
				n, err := strconv.ParseInt(text, 10, 64)
				require.NoError(t, err)
				*to += n
			}
		}
		if row[column["saved_nano_usd"]] == "" {
			sum.Unpriced++
		}
	}
	return sum
}

// TestTheOperatorsSocket checks that clients of the socket can read the records of
// any account and nothing else, and that the account header has no effect on the
// network.
func TestTheOperatorsSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "sock") // socket paths must be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	h := newTestEnvWith(t, dashboard.Config{Data: dir})
	mine, account := h.registerUser("a@example.com")
	other, theirs := h.registerUser("b@example.com")
	h.publish(append(agentSession(theirs, "work", 2, 2), newRecord(account, 1, nil))...)

	require.Equal(t, filepath.Join(dir, "dashboard.sock"), dashboard.SocketPath(dir))
	var info os.FileInfo
	require.Eventually(t, func() bool { info, err = os.Stat(dashboard.SocketPath(dir)); return err == nil }, 20*time.Second, 2*time.Millisecond)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	operator := h.browser()
	operator.http.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", dashboard.SocketPath(dir))
	}}
	as := func(b *browser, id, path string) response {
		return b.send("GET", path, "", map[string]string{dashboard.AccountHeader: id})
	}
	require.Len(t, as(operator, account, "/api/v1/requests").json(t)["items"], 1)
	require.Len(t, as(operator, theirs, "/api/v1/requests").json(t)["items"], 2)
	require.EqualValues(t, 2, as(operator, theirs, "/api/v1/impact?from=2026-11-14").json(t)["requests"])
	require.Len(t, as(operator, theirs, "/api/v1/sessions").json(t)["items"], 1)
	require.EqualValues(t, 2, as(operator, theirs, "/api/v1/sessions/work").json(t)["requests"])
	require.Empty(t, as(operator, account, "/api/v1/sessions").json(t)["items"])
	as(operator, account, "/api/v1/sessions/work").requireError(t, http.StatusNotFound, "NOT_FOUND")
	require.Equal(t, http.StatusOK, as(operator, "", "/api/v1/completeness").status)
	for _, path := range []string{"/api/v1/requests", "/api/v1/sessions"} {
		as(operator, "", path).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	}
	as(operator, "", "/api/v1/sessions/work").requireError(t, http.StatusNotFound, "NOT_FOUND")
	require.Empty(t, as(operator, account, "/api/v1/alerts").json(t)["rules"])
	operator.send("POST", "/api/v1/alerts/rules", "{}", map[string]string{dashboard.AccountHeader: account}).requireError(t, http.StatusNotFound, "ENDPOINT_NOT_FOUND")
	for _, path := range []string{"/api/v1/keys", "/api/v1/account", "/api/v1/users", "/api/v1/accounts", "/requests", "/keys", "/", "/login"} {
		as(operator, account, path).requireError(t, http.StatusNotFound, "ENDPOINT_NOT_FOUND")
	}

	require.Len(t, as(mine, theirs, "/api/v1/requests").json(t)["items"], 1, "whose session it is")
	require.Len(t, as(other, account, "/api/v1/requests").json(t)["items"], 2)
	for _, path := range []string{"/api/v1/requests", "/api/v1/sessions", "/api/v1/impact", "/api/v1/completeness", "/api/v1/requests/export?format=csv"} {
		as(h.browser(), account, path).requireError(t, http.StatusUnauthorized, "SESSION_REQUIRED")
	}
}
