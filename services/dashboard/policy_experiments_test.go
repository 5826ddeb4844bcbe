package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/apperr"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

const experimentDocument = `version: 1
models: {sandbox-small: {}, sandbox-large: {}}
routes: {auto: {select: [{target: sandbox-small}]}}
experiments:
  try: {share: 0.05, routes: [auto], candidates: [sandbox-large], judge: sandbox-large, daily_usd: "2.50"}
`

func TestExperimentsAreChangedByPublishing(t *testing.T) {
	h := newTestEnv(t, "")
	h.policies.document = experimentDocument
	o := h.claimOperator()
	email := o.api("GET", "/session", "").json(t)["user"].(map[string]any)["email"].(string)
	list := o.api("GET", "/policy/experiments", "").json(t)
	require.Equal(t, []any{"auto"}, list["routes"])
	require.Equal(t, true, list["read_only"])
	require.Equal(t, map[string]any{
		"name": "try", "share": 0.05, "routes": []any{"auto"}, "keys": []any{}, "candidates": []any{"sandbox-large"}, "judge": "sandbox-large", "daily_usd": "2.50", "paused": false,
	}, list["items"].([]any)[0])

	a := o.api("POST", "/policy/experiments", `{"action":"pause","name":"try","expected_version":"abc"}`)
	require.Equal(t, http.StatusOK, a.status, a.body)
	paused := experimentDocument[:len(experimentDocument)-len(`{share: 0.05, routes: [auto], candidates: [sandbox-large], judge: sandbox-large, daily_usd: "2.50"}`+"\n")] +
		`{paused: true, share: 0.05, routes: [auto], candidates: [sandbox-large], judge: sandbox-large, daily_usd: "2.50"}` + "\n"
	require.True(t, proto.Equal(&routerv1.PublishRequest{Document: paused, ExpectedVersion: "abc", Note: "Pause the experiment try", Author: email}, h.policies.heard()), h.policies.heard())
	require.Equal(t, "Pause the experiment try", h.accounts.changes[0].GetNote(), "the audit log names it")

	o.api("POST", "/policy/experiments", `{"action":"pause","name":"other"}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	o.api("POST", "/policy/experiments", `{"action":"erase","name":"try"}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	o.api("POST", "/policy/experiments", `{"action":"pause","name":"try","expected_version":"old"}`).requireError(t, http.StatusConflict, "POLICY_CONFLICT")
	h.policies.refuses = apperr.New(apperr.PolicyReadOnly, "the file rules")
	o.api("POST", "/policy/experiments", `{"action":"stop","name":"try"}`).requireError(t, http.StatusConflict, "POLICY_READ_ONLY")
}

// A promotion keeps the provider that the experiment names, and takes candidates of the
// experiment only.
func TestAPromotionKeepsTheProvider(t *testing.T) {
	h := newTestEnv(t, "")
	h.policies.document = strings.Replace(experimentDocument, "candidates: [sandbox-large]", "candidates: [sandbox-large@sandbox]", 1)
	o := h.claimOperator()
	a := o.api("POST", "/policy/experiments", `{"action":"promote","name":"try","route":"auto","candidate":"sandbox-large"}`)
	require.Equal(t, http.StatusOK, a.status, a.body)
	started, ok := h.policies.heard().(*routerv1.StartRolloutRequest)
	require.True(t, ok)
	require.Contains(t, started.GetDocument(), `{name: "promote-try", target: "sandbox-large@sandbox"}`)
	o.api("POST", "/policy/experiments", `{"action":"promote","name":"try","route":"auto","candidate":"sandbox-small"}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
}
