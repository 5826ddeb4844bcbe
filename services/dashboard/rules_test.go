package dashboard_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// ruledDocument has rules whose labels are unique, and rules of two routes with one label.
const ruledDocument = `version: 1
routes:
  auto:
    select:
      - {name: legal, when: {key.tag: legal}, target: large}
      - {name: unused, when: {key.tag: none}, deny: "no"}
      - {name: cheap, strategy: cheapest, candidates: [small, large]}
  auto-embed: {kind: embeddings, select: [{target: embed}]}
  other: {select: [{target: small}]}
`

func ruled(account, model, rule string, endpoint recordv1.Endpoint, nano int64) *recordv1.RequestRecord {
	return newRecord(account, 0, func(r *recordv1.RequestRecord) {
		r.RequestedModel, r.Endpoint, r.CostNanoUsd = model, endpoint, proto.Int64(nano)
		if rule != "" {
			r.Reason = &recordv1.Reason{Code: "TARGET", Rule: rule}
		}
	})
}

func TestRulesHaveTheSumsOfTheirRequests(t *testing.T) {
	eachStore(t, func(t *testing.T, h *testEnv) {
		h.policies.document = ruledDocument
		o := h.claimOperator()
		account := o.api("GET", "/account", "").json(t)["id"].(string)
		_, stranger := h.registerUser("b@example.com")
		const chat, embeddings = recordv1.Endpoint_ENDPOINT_CHAT, recordv1.Endpoint_ENDPOINT_EMBEDDINGS
		h.publish(
			ruled(account, "auto", "legal", chat, 10), ruled(account, "auto:economy", "legal", chat, 20), ruled(stranger, "auto", "legal", chat, 1000),
			ruled(account, "auto", "select[0]", embeddings, 1), ruled(account, "auto-embed", "select[0]", embeddings, 2),
			ruled(account, "other", "select[0]", chat, 5), ruled(account, "large", "", chat, 7), ruled(account, "auto", "retired", chat, 9),
			ruled(account, "auto", "select[0]", chat, 4), ruled(account, "auto:quality", "select[0]", chat, 6),
		)
		require.Equal(t, []string{"auto legal 3 1030 1970", "auto unused 0 0 0", "auto cheap 0 0 0", "auto-embed select[0] 2 3 1997", "other select[0] 1 5 995"}, listRules(t, o))
		h.policies.document = "routes: {auto: {select: [{target: large}]}, auto-embed: {select: [{target: embed}]}}"
		require.Equal(t, []string{"auto select[0] 2 10 1990", "auto-embed select[0] 2 3 1997"}, listRules(t, o), "both routes have a rule without a name")
	})
}

// listRules returns the rules with their sums, and checks that the filter of each rule finds
// as many requests.
func listRules(t *testing.T, o *browser) (lines []string) {
	got := o.api("GET", "/policy/rules?from=2026-11-14&to=2026-11-15", "").json(t)
	require.Equal(t, "abc", got["version"])
	for _, item := range got["items"].([]any) {
		r := item.(map[string]any)
		f := r["figures"].(map[string]any)
		lines = append(lines, fmt.Sprint(r["route"], " ", r["label"], " ", f["requests"], " ", f["routed_nano_usd"], " ", f["saved_nano_usd"]))
		page := o.api("GET", "/requests?from=2026-11-14&to=2026-11-15&filter="+url.QueryEscape(r["filter"].(string)), "").json(t)
		require.Len(t, page["items"], int(f["account_requests"].(float64)), "the link of %s %s", r["route"], r["label"])
	}
	return lines
}

func TestRulesAreMovedAndAdded(t *testing.T) {
	h := newTestEnv(t, "")
	o := h.claimOperator()
	send := func(path string, body map[string]any) response {
		body["document"] = ruledDocument
		text, err := json.Marshal(body)
		require.NoError(t, err)
		return o.api("POST", "/policy/rules/"+path, string(text))
	}
	moved := send("move", map[string]any{"route": "auto", "from": 1, "to": 0}).json(t)["document"]
	require.Contains(t, moved, "select:\n      - {name: unused, when: {key.tag: none}, deny: \"no\"}\n      - {name: legal")
	added := send("add", map[string]any{"route": "other", "at": 0, "rule": "{when: {key.tag: x}, target: large}"}).json(t)["document"]
	require.Contains(t, added, "other: {select: [{when: {key.tag: x}, target: large}, {target: small}]}")
	send("move", map[string]any{"route": "auto", "from": 0, "to": 3}).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	send("add", map[string]any{"route": "auto", "at": 0, "rule": "no mapping"}).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	details := o.api("POST", "/policy/rules/move", `{"document":"routes: [","route":"auto","from":0,"to":1}`).requireError(t, http.StatusUnprocessableEntity, "POLICY_INVALID")
	require.NotEmpty(t, details["problems"])
	rules := o.api("POST", "/policy/validate", `{"document":"routes: {auto: {select: [{deny: x}]}}"}`).json(t)["rules"].([]any)
	require.Equal(t, "select[0]", rules[0].(map[string]any)["label"])
	require.Equal(t, []any{}, o.api("POST", "/policy/validate", `{"document":"routes: ["}`).json(t)["rules"])
}
