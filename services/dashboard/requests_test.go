package dashboard_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/records"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

var update = flag.Bool("update", false, "write the golden files")

// full has a value in every field. bare was rejected before routing.
func full(account string) *recordv1.RequestRecord {
	id := uuid.MustParse("01a1da5e-b5b2-7abc-8def-0123456789ab")
	return &recordv1.RequestRecord{
		Schema: 1, Id: id[:], TraceId: bytes.Repeat([]byte{0xab}, 16), ClientRequestId: "mine", AccountId: account,
		KeyId: "key_1", KeyName: "prod", Time: timestamppb.New(time.Date(2026, 11, 14, 14, 3, 22, 418_000_999, time.UTC)),
		Endpoint: recordv1.Endpoint_ENDPOINT_CHAT, Stream: true, RequestedModel: "auto", Model: "small", Provider: "beta",
		Route:   recordv1.Route_ROUTE_FALLBACK,
		Reason:  &recordv1.Reason{Code: "CHEAPEST", Text: "the cheapest that is good enough", Rule: "default"},
		Outcome: recordv1.Outcome_OUTCOME_OK, Status: 200,
		Tokens:      &recordv1.Tokens{Input: 1204, CacheRead: 10, CacheWrite: 20, CacheWrite_1H: 5, Output: 88, Reasoning: 8},
		CostNanoUsd: proto.Int64(233400), CostBasis: recordv1.CostBasis_COST_BASIS_FINAL,
		BaselineModel: "large", BaselineNanoUsd: proto.Int64(7102000), Effort: "low",
		LatencyUs: 1312000, TtftUs: 1112000, GatewayUs: 620, AuthUs: 180, RouteUs: 210,
		Attempts: []*recordv1.Attempt{
			{Provider: "alpha", Model: "small", Status: 504, Code: "PROVIDER_TIMEOUT", StartedUs: 400, EndedUs: 900000, CostNanoUsd: proto.Int64(0), Costs: &recordv1.Costs{}},
			{Provider: "beta", Model: "small", Effort: "low", Status: 200, StartedUs: 900100, FirstTokenUs: 1112000, EndedUs: 1311000, CostNanoUsd: proto.Int64(233400), UpstreamRequestId: "up",
				Tokens:        &recordv1.Tokens{Input: 1204, CacheRead: 10, CacheWrite: 20, CacheWrite_1H: 5, Output: 88, Reasoning: 8},
				DroppedParams: []string{"store", "messages[].name"}, UsageDifference: -3, ReportedNanoUsd: proto.Int64(233000), Unpriced: []string{"web_search"},
				Costs:     &recordv1.Costs{Input: 180600, CacheRead: 300, CacheWrite: 3500, Output: 49000},
				Price:     &recordv1.Price{Input: 150000, CacheRead: 30000, CacheWrite: 175000, CacheWrite_1H: 300000, Output: 556818, Effective: "2026-11-01"},
				CostBasis: recordv1.CostBasis_COST_BASIS_FINAL},
		},
		Candidates: []*recordv1.Candidate{
			{Model: "small", Provider: "alpha", Effort: "low", Verdict: "CHOSEN", Text: "cheapest", PredictedNanoUsd: proto.Int64(228000), LatencyUs: 310000, Quality: 740, Down: "breaker open", SessionNanoUsd: proto.Int64(4560000), OutputTokens: 45},
			{Model: "tiny", Provider: "alpha", Verdict: "MISSING_CAPABILITY", Text: "no tools"},
		},
		DecisionInputs: &recordv1.DecisionInputs{
			Needs: []string{"tools"}, InputTokens: 90, Tags: []string{"eu"}, At: 1794664980, BudgetUsed: proto.Int64(963),
			Metadata: map[string]string{"purpose": "batch"}, StickyModel: "small", StickyProvider: "beta", Seed: 1 << 63,
			Predictor: "priors-1", Qualities: map[string]int64{"small": 740},
			NativeProtocol: "messages", NativeOnly: []string{"signature"}, Issuer: "two", MaxCostNanoUsd: proto.Int64(500000000), OwnEffort: true,
			Session: &recordv1.Session{
				LastModel: "small", LastProvider: "beta", LastAt: 1794664900, Turns: 4, ToolLoop: true, MarksCache: true, AddedTokens: 700, OutputTokens: 90,
				Cached: []*recordv1.CachedPrefix{{Model: "small", Provider: "beta", Tokens: 1180, Expires: 1794665200}},
			},
		},
		Features: map[string]int64{"turns": 3, "images": 0}, PolicyVersion: "p1", CatalogVersion: "c1", EngineVersion: "e1",
		Rollout:     &recordv1.Rollout{Id: "ro", StableVersion: "p0", CandidateVersion: "p1", Share: 1000},
		Content:     &recordv1.Content{Request: []byte(`{"model":"auto"}`), Response: []byte("caf\xff"), RequestBytes: 16, ResponseBytes: 70000},
		ClientRetry: 1, ClientAddress: "192.0.2.1", Protocol: "messages", Agent: "claude-code", Session: "work/1", User: "ann", Capture: recordv1.Capture_CAPTURE_FULL,
		Costs:         &recordv1.Costs{Input: 180600, CacheRead: 300, CacheWrite: 3500, Output: 49000},
		BaselineCosts: &recordv1.Costs{Input: 6020000, CacheRead: 5000, CacheWrite: 125000, Output: 952000},
		BaselinePrice: &recordv1.Price{Input: 5000000, CacheRead: 500000, CacheWrite: 6250000, Output: 10818182},
	}
}

func bare(account string) *recordv1.RequestRecord {
	id := uuid.MustParse("01a1da5e-b7f8-7abc-8def-0123456789ab")
	return &recordv1.RequestRecord{
		Schema: 1, Id: id[:], AccountId: account, KeyId: "key_1", KeyName: "prod",
		Time:     timestamppb.New(time.Date(2026, 11, 14, 14, 3, 23, 0, time.UTC)),
		Endpoint: recordv1.Endpoint_ENDPOINT_CHAT, Outcome: recordv1.Outcome_OUTCOME_REJECTED,
		Status: 400, Code: "INVALID_REQUEST", Error: "model is needed",
	}
}

// TestTheShapeOfARecord checks the field names and formats that clients rely on.
func TestTheShapeOfARecord(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	h.publish(full(account), bare(account))
	golden(t, "list.json", b.api("GET", "/requests", "").body)
	golden(t, "detail.json", b.api("GET", "/requests/"+idOf(full(account)), "").body)
	golden(t, "bare.json", b.api("GET", "/requests/"+idOf(bare(account)), "").body)
	golden(t, "session.json", b.api("GET", "/sessions/work%2F1", "").body)
	golden(t, "impact.json", b.api("GET", "/impact?group_by=route&from=2026-11-14&to=2026-11-15", "").body)
}

// TestInstallationDataRequiresOperator checks that other accounts cannot
// see installation-wide data.
func TestInstallationDataRequiresOperator(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	h.publish(newRecord(account, 1, nil))
	raw, err := proto.Marshal(newRecord(account, 2, nil))
	require.NoError(t, err)
	// Sequence numbers 2 and 3 never arrive.
	entries := []records.Entry{{Producer: "proxy-1", Seq: 4, Record: raw}, {Producer: "proxy-1", Seq: 5, Record: []byte("?")}}
	require.NoError(t, h.carrier.Publish(t.Context(), entries))
	h.waitCommitted(records.Range{First: 4, Last: 5})
	operator := h.claimOperator()
	golden(t, "completeness.json", operator.api("GET", "/completeness", "").body)
	golden(t, "providers.json", operator.api("GET", "/providers", "").body)
	b.api("GET", "/completeness", "").requireError(t, http.StatusForbidden, "AUTH_FORBIDDEN")
	b.api("GET", "/providers", "").requireError(t, http.StatusForbidden, "AUTH_FORBIDDEN")
	h.browser().api("GET", "/providers", "").requireError(t, http.StatusUnauthorized, "SESSION_REQUIRED")
}

func golden(t *testing.T, name, body string) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, json.Indent(&out, []byte(body), "", "  "), body)
	path := "testdata/" + name
	if *update {
		require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), out.String(), name)
}

func TestPagesOfRequests(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	var all []*recordv1.RequestRecord
	for n := range 120 {
		all = append(all, newRecord(account, n, nil))
	}
	h.publish(all...)
	var got []string
	query, pages := "", 0
	for ; pages < 10; pages++ {
		v := b.api("GET", "/requests?limit=50"+query, "").json(t)
		for _, item := range v["items"].([]any) {
			got = append(got, item.(map[string]any)["id"].(string))
		}
		if v["next_cursor"] == nil {
			break
		}
		query = "&cursor=" + url.QueryEscape(v["next_cursor"].(string))
	}
	require.Equal(t, 2, pages)
	require.Len(t, got, 120)
	for i, id := range got {
		require.Equal(t, idOf(all[119-i]), id)
	}
	require.Len(t, b.api("GET", "/requests?cursor=", "").json(t)["items"], 50)
}

func TestBadQueriesAreRefused(t *testing.T) {
	b, _ := newTestEnv(t, "").registerUser("a@example.com")
	for query, param := range map[string]string{
		"cursor=zzz":                         "cursor",
		"cursor=AQAAAAAAAAAA":                "cursor",
		"limit=0":                            "limit",
		"limit=201":                          "limit",
		"limit=1e9":                          "limit",
		"sort=password":                      "sort",
		"limit=1&limit=2":                    "limit",
		"from=yesterday":                     "from",
		"to=0000-01-01":                      "to",
		"from=2026-11-15&to=2026-11-14":      "from",
		"filter=nonsense:1":                  "filter",
		"filter=colour:red":                  "filter",
		"filter=route:sideways":              "filter",
		"filter=status:abc":                  "filter",
		"filter=model:":                      "filter",
		"filter=%00":                         "filter",
		"filter=key:%22open":                 "filter",
		"filter=" + strings.Repeat("x", 500): "filter",
	} {
		details := b.api("GET", "/requests?"+query, "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
		require.Equal(t, param, details["param"], query)
	}
	details := b.api("GET", "/requests?filter=colour:red", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "colour", details["field"])
	require.Contains(t, details["allowed"], "model")
	b.api("GET", "/impact?group_by=account", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	b.api("GET", "/requests/export?format=xls", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
}

func TestFilterAndImpact(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	h.publish(
		newRecord(account, 1, nil),
		newRecord(account, 2, func(r *recordv1.RequestRecord) { r.Model, r.CostNanoUsd = "large", proto.Int64(3000) }),
		newRecord(account, 3, func(r *recordv1.RequestRecord) { r.Model, r.CostNanoUsd = "large", nil }),
	)
	require.EqualValues(t, 2, b.rows(url.Values{"filter": {"model:large outcome:ok"}}).Requests)
	impact := b.api("GET", "/impact?group_by=model&from=2026-11-14&to=2026-11-15", "").json(t)
	require.EqualValues(t, 3, impact["requests"])
	require.EqualValues(t, 3100, impact["routed_nano_usd"])
	require.EqualValues(t, 3000, impact["baseline_nano_usd"])
	require.EqualValues(t, 900-2000, impact["saved_nano_usd"])
	require.EqualValues(t, 1, impact["unpriced"])
	groups := impact["groups"].([]any)
	require.Len(t, groups, 2)
	require.Equal(t, "large", groups[0].(map[string]any)["group"])
	impact = b.api("GET", "/impact?filter=model:small&from=2026-11-14", "").json(t)
	require.EqualValues(t, 900, impact["saved_nano_usd"])
	require.Empty(t, impact["groups"])
	impact = b.api("GET", "/impact?to=2026-12-14T12:00:02Z", "").json(t)
	require.EqualValues(t, 2, impact["requests"], "30 days, to the second")
}

// A request that failed costs what its attempts cost. A client that disconnects compares
// the same tokens as a completed request.
func TestAFailedRequestEarnsNoSavings(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	outcomes := []recordv1.Outcome{recordv1.Outcome_OUTCOME_ERROR, recordv1.Outcome_OUTCOME_INTERRUPTED, recordv1.Outcome_OUTCOME_ABORTED, recordv1.Outcome_OUTCOME_CLIENT_CLOSED}
	for n, outcome := range outcomes {
		h.publish(newRecord(account, n, func(r *recordv1.RequestRecord) { r.Outcome, r.BaselineCosts = outcome, &recordv1.Costs{Input: 1000} }))
	}
	want := []float64{900, -100, -100, -100} // newest first
	items := b.api("GET", "/requests", "").json(t)["items"].([]any)
	rows, err := csv.NewReader(strings.NewReader(b.api("GET", "/requests/export?format=csv&to=2027-01-01", "").body)).ReadAll()
	require.NoError(t, err)
	saved := slices.Index(rows[0], "saved_nano_usd")
	for i, item := range items {
		require.EqualValues(t, want[i], item.(map[string]any)["saved_nano_usd"])
		require.Equal(t, fmt.Sprint(want[i]), rows[i+1][saved])
	}
	detail := b.api("GET", "/requests/"+items[1].(map[string]any)["id"].(string), "").json(t)
	require.EqualValues(t, -100, detail["saved_nano_usd"])
	baseline := detail["baseline"].(map[string]any)
	require.EqualValues(t, 0, baseline["cost_nano_usd"])
	require.EqualValues(t, 0, baseline["costs"].(map[string]any)["input"])
	for _, query := range []string{"", "&filter=requested_model:auto"} { // stored sums, and rows
		impact := b.api("GET", "/impact?from=2026-11-14&to=2026-11-15"+query, "").json(t)
		require.EqualValues(t, 900-3*100, impact["saved_nano_usd"])
		require.EqualValues(t, 1000, impact["baseline_nano_usd"])
		require.EqualValues(t, 4, impact["requests"])
	}
}

func TestExport(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	var all []*recordv1.RequestRecord
	for n := range 1100 { // more than two pages
		all = append(all, newRecord(account, n, nil))
	}
	all[1099].RequestedModel, all[1099].CostNanoUsd = "=cmd()", proto.Int64(5000)
	all[1099].Protocol, all[1099].Agent = "responses", "-codex"
	all[1099].Session, all[1099].User, all[1099].SideCall, all[1099].Reason = "@work", "+ann", true, &recordv1.Reason{Rule: "=eu"}
	all[1099].DecisionInputs = &recordv1.DecisionInputs{Tags: []string{"prod, eu", "a;=b"}, Metadata: map[string]string{"team": "se\"arch"}}
	h.publish(all...)

	a := b.api("GET", "/requests/export?format=csv&to=2027-01-01", "")
	require.Equal(t, "text/csv; charset=utf-8", a.header.Get("Content-Type"))
	rows, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1101)
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	require.Equal(t, idOf(all[1099]), rows[1][column["id"]])
	require.Equal(t, "'=cmd()", rows[1][column["requested_model"]], "no spreadsheet may run it")
	require.Equal(t, "-4000", rows[1][column["saved_nano_usd"]], "a number stays one")
	require.Equal(t, []string{"responses", "'-codex"}, []string{rows[1][column["protocol"]], rows[1][column["agent"]]})
	var work []string
	for _, name := range []string{"session", "user", "side_call", "rule", "endpoint", "tags", "metadata"} {
		work = append(work, rows[1][column[name]], rows[2][column[name]])
	}
	require.Equal(t, []string{"'@work", "", "'+ann", "", "true", "false", "'=eu", "", "chat", "chat", `["prod, eu","a\u003b=b"]`, "", `{"team":"se\"arch"}`, ""}, work)
	require.Equal(t, []string{"chat", ""}, []string{rows[2][column["protocol"]], rows[2][column["agent"]]})

	a = b.api("GET", "/requests/export?format=ndjson&to=2027-01-01&filter=requested_model:auto", "")
	lines := strings.Split(strings.TrimSpace(a.body), "\n")
	require.Len(t, lines, 1099)
	var last map[string]any
	require.NoError(t, json.Unmarshal([]byte(lines[1098]), &last))
	require.Equal(t, idOf(all[0]), last["id"])
	require.Equal(t, []any{[]any{}, map[string]any{}}, []any{last["tags"], last["metadata"]}, "a request without them")
	a = b.api("GET", "/requests/export?format=ndjson&to=2027-01-01&filter=rule:*", "")
	require.NoError(t, json.Unmarshal([]byte(a.body), &last))
	require.Equal(t, []any{[]any{"prod, eu", "a;=b"}, map[string]any{"team": `se"arch`}}, []any{last["tags"], last["metadata"]})
	empty := b.api("GET", "/requests/export?format=csv&to=2027-01-01&filter=model:none", "")
	require.Equal(t, 1, strings.Count(empty.body, "\n"), "an empty export has its header")
}

// TestAccountsAreIsolated swaps ids between two accounts in every route.
func TestAccountsAreIsolated(t *testing.T) {
	h := newTestEnv(t, "")
	mine, _ := h.registerUser("mine@example.com")
	theirs, account := h.registerUser("theirs@example.com")
	secret := newRecord(account, 1, func(r *recordv1.RequestRecord) {
		r.Content = &recordv1.Content{Request: []byte("hush")}
		r.RequestedModel, r.Session, r.User = "hush", "hush", "hush"
	})
	h.publish(secret)
	theirKey := theirs.api("POST", "/keys", `{"name":"hush"}`).json(t)["id"].(string)
	id := idOf(secret)
	require.Contains(t, theirs.api("GET", "/requests/"+id, "").body, "hush")

	mine.api("GET", "/requests/"+id, "").requireError(t, http.StatusNotFound, "NOT_FOUND")
	require.Contains(t, theirs.api("GET", "/sessions/hush", "").body, id)
	mine.api("GET", "/sessions/hush", "").requireError(t, http.StatusNotFound, "NOT_FOUND")
	mine.api("PATCH", "/keys/"+theirKey, `{"name":"x"}`).requireError(t, http.StatusNotFound, "NOT_FOUND")
	mine.api("DELETE", "/keys/"+theirKey, "").requireError(t, http.StatusNotFound, "NOT_FOUND")
	mine.api("POST", "/keys/"+theirKey+"/rotate", `{"overlap_seconds":0}`).requireError(t, http.StatusNotFound, "NOT_FOUND")
	for _, path := range []string{
		"/api/v1/requests", "/api/v1/requests?filter=requested_model:hush", "/api/v1/requests/export?format=ndjson",
		"/api/v1/requests/export?format=csv", "/api/v1/impact?group_by=requested_model", "/api/v1/impact?group_by=session",
		"/api/v1/sessions", "/api/v1/sessions?search=hush", "/api/v1/sessions?user=hush", "/api/v1/requests?filter=session:hush", "/sessions", "/sessions/hush",
		"/api/v1/keys", "/api/v1/account",
		"/requests", "/requests/" + id, "/keys",
	} {
		require.NotContains(t, mine.get(path).body, "hush", path)
		require.NotContains(t, mine.get(path).body, account, path)
	}
	for _, odd := range []string{strings.ToUpper(id), "{" + id + "}", strings.ReplaceAll(id, "-", ""), "%ff", "x"} {
		theirs.api("GET", "/requests/"+odd, "").requireError(t, http.StatusNotFound, "NOT_FOUND")
	}
	theirs.api("DELETE", "/keys/%ff", "").requireError(t, http.StatusNotFound, "NOT_FOUND")
	require.Contains(t, fmt.Sprint(theirs.api("GET", "/keys", "").json(t)["items"]), "active")
}
