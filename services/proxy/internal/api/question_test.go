package api_test

import (
	"encoding/binary"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

const denying = `
version: 1
models: {sandbox-small: {}}
routes:
  auto:
    select:
      - {name: no-batch, when: {request.metadata.purpose: batch}, deny: "batch runs at night"}
      - {name: rest, candidates: [sandbox-small]}
`

func (g *rig) ask(t *testing.T, purpose, capture string) (*http.Response, *ledger.Record) {
	g.capture = capture
	res, stop := g.post(t, `{"model":"auto","messages":[{"role":"user","content":"hi"}],"metadata":{"purpose":"`+purpose+`","user":"Ada"}}`)
	defer stop()
	_ = all(t, res)
	return res, g.records[len(g.records)-1]
}

// A rejection by a policy rule is recorded with its inputs, like any other decision.
func TestADenialIsRecordedWithItsRule(t *testing.T) {
	g := newRigOf(t, denying)
	res, r := g.ask(t, "batch", "")
	require.Equal(t, http.StatusForbidden, res.StatusCode)
	require.Equal(t, string(apperr.PolicyDenied), r.Code)
	require.Equal(t, ledger.Rejected, r.Outcome)
	require.Equal(t, decide.Reason{Code: "POLICY_DENIED", Text: "batch runs at night", Rule: "no-batch"}, r.Decision.Reason)
	require.Equal(t, g.policy.Version(), r.Decision.PolicyVersion)
	require.Equal(t, "batch", r.Question.Metadata["purpose"])
}

func TestTheQuestionIsOfItsRequest(t *testing.T) {
	g := newRigOf(t, denying)
	res, r := g.ask(t, "chat", "")
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Equal(t, binary.BigEndian.Uint64(r.ID[8:]), r.Question.Seed)
	require.Equal(t, r.Time.UTC().Truncate(time.Minute), r.Question.At)
	require.Equal(t, map[string]string{"purpose": "chat", "user": "Ada"}, r.Question.Metadata)
	require.Equal(t, "rest", r.Decision.Reason.Rule)
}

// If no text is stored, the record has only the metadata that the policy mentions, and hashes of
// the rest. The decision can still be recomputed from it.
func TestOnlyMetadataOfThePolicyIsStored(t *testing.T) {
	g := newRigOf(t, denying)
	hash := func(v string) string { return session.Hash("", v) }
	for _, capture := range []string{"none", "redacted"} {
		_, r := g.ask(t, "chat", capture)
		require.Equal(t, map[string]string{"purpose": hash("chat"), "user": hash("Ada")}, r.Question.Metadata, capture)
		require.Equal(t, "rest", r.Decision.Reason.Rule)
		_, r = g.ask(t, "batch", capture)
		require.Equal(t, map[string]string{"purpose": "batch", "user": hash("Ada")}, r.Question.Metadata, capture)
	}
}

// During a rollout, the metadata that the candidate mentions is stored, not that of the stable
// version: the candidate decides, and its decision must be the same when it is recomputed.
func TestMetadataOfTheCandidateIsStored(t *testing.T) {
	g := newRig(t)
	g.candidate = newRigOf(t, denying).policy
	res, r := g.ask(t, "batch", "none")
	require.Equal(t, http.StatusForbidden, res.StatusCode)
	require.Equal(t, "batch", r.Question.Metadata["purpose"])
	require.Equal(t, g.candidate.Version(), r.Decision.PolicyVersion)
	_, err := decide.Decide(g.candidate, *r.Question, decide.AllHealthy{})
	require.True(t, apperr.Is(err, apperr.PolicyDenied), "the recorded question is decided alike")
}

// The name of a metadata field can be any text, too.
func TestUnusualMetadataNamesAreNotStored(t *testing.T) {
	g := newRigOf(t, denying)
	for _, g.capture = range []string{"none", "redacted"} {
		res, stop := g.post(t, `{"model":"auto","messages":[{"role":"user","content":"hi"}],"metadata":{"Ada Lovelace":"1","sk-canary0123456789":"2","team/x":"3"}}`)
		_ = all(t, res)
		stop()
		require.Equal(t, map[string]string{"team/x": session.Hash("", "3")}, g.records[len(g.records)-1].Question.Metadata)
	}
}
