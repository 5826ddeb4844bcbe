package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
)

// issuerBound are requests with reasoning that only its issuer can read. other is a model at a
// provider of another protocol, native one at a provider of the same protocol.
var issuerBound = []struct{ path, body, other, native, part string }{
	{
		"/proxy/v1/messages", `{"model":"auto","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[` +
			`{"type":"thinking","thinking":"hm","signature":"SECRET1"},{"type":"redacted_thinking","data":"SECRET2"},{"type":"text","text":"yes"}]},{"role":"user","content":"on"}]}`,
		"gpt", "opus", "signature",
	},
	{
		"/proxy/v1/responses", `{"model":"auto","store":false,"input":[{"role":"user","content":"hi"},` +
			`{"type":"reasoning","summary":[],"encrypted_content":"SECRET1"},{"role":"assistant","content":"yes"},{"role":"user","content":"on"}]}`,
		"opus", "gpt", "encrypted_content",
	},
	{
		"/proxy/v1beta/models/auto:generateContent", `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"text":"yes","thoughtSignature":"U0VDUkVU"}]},` +
			`{"role":"user","parts":[{"text":"on"}]}]}`,
		"opus", "flash", "signature",
	},
}

// newStrippingVendors has a route auto that strips issuer-bound reasoning.
func newStrippingVendors(t *testing.T, candidates string) *vendors {
	t.Helper()
	v := newVendors(t, candidates)
	v.document = strings.Replace(v.document, "auto: {select", "auto: {issuer_state: strip, select", 1)
	v.rig = newRigOf(t, v.document)
	return v
}

func (v *vendors) received() (all []scriptedtest.Received) {
	for _, u := range []*scriptedtest.Upstream{v.claude, v.open, v.google} {
		all = append(all, u.Received()...)
	}
	return all
}

func TestARouteStripsIssuerState(t *testing.T) {
	for _, tc := range issuerBound {
		kept := newVendors(t, tc.other)
		res, text := kept.send(t, http.MethodPost, tc.path, tc.body, testKey)
		require.Equal(t, http.StatusBadRequest, res.StatusCode, text)
		require.Empty(t, kept.received(), tc.path)

		v := newStrippingVendors(t, tc.other)
		_, text = v.send(t, http.MethodPost, tc.path, tc.body, testKey)
		require.Len(t, v.received(), 1, text)
		sent := string(v.received()[0].Body)
		require.NotContains(t, sent, "SECRET")
		require.NotContains(t, sent, "U0VDUkVU")
		require.Contains(t, sent, "yes", tc.path)
		require.NotContains(t, v.records[0].Question.NativeOnly, tc.part)
	}
}

func TestAProviderOfTheSameProtocolReceivesIssuerState(t *testing.T) {
	for _, tc := range issuerBound {
		v := newStrippingVendors(t, tc.native)
		_, text := v.send(t, http.MethodPost, tc.path, tc.body, testKey)
		require.Len(t, v.received(), 1, text)
		sent := string(v.received()[0].Body)
		require.True(t, strings.Contains(sent, "SECRET1") || strings.Contains(sent, "U0VDUkVU"), sent)
	}
}

// Without an encrypted summary, the history is not complete.
func TestEncryptedHistoryIsNotStripped(t *testing.T) {
	v := newStrippingVendors(t, "opus")
	const body = `{"model":"auto","store":false,"input":[{"type":"compaction","encrypted_content":"x"},{"role":"user","content":"on"}]}`
	res, text := v.send(t, http.MethodPost, "/proxy/v1/responses", body, testKey)
	require.Equal(t, http.StatusBadRequest, res.StatusCode, text)
	require.Contains(t, text, "encrypted_content")
	require.Empty(t, v.received())
}
