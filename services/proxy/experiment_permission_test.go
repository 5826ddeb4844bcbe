package proxy_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/services/proxy/internal/shadow"
)

// Opting out drops waiting samples, and running comparisons make no further call, although the
// key service pushes nothing.
func TestOptingOutEndsExperiments(t *testing.T) {
	x := newExperimentRig(t, "large", "judge", "1")
	x.vendor.hang = "up-large"
	const sent, running = 6, 2
	for range sent {
		x.ask(autoChat)
	}
	require.Eventually(t, func() bool { return len(x.vendor.calls("up-large")) == running }, patience, time.Millisecond)

	mend := x.keyauth.cut()
	defer mend()
	x.keyauth.mu.Lock()
	x.keyauth.known[apikey.DigestOf(x.key)].AllowExperiments = false
	x.keyauth.mu.Unlock()
	require.Eventually(t, func() bool { return x.svc.DroppedSamples()[shadow.OptedOut] == sent-running }, patience, time.Millisecond)
	close(x.vendor.release)
	x.await(sent, running)
	for _, c := range x.comparisons {
		require.Equal(t, "stopped", c.GetComparison().GetResult())
		require.Positive(t, c.GetComparison().GetCandidateNanoUsd(), "the vendor has billed the call")
	}
	require.Empty(t, x.vendor.calls("up-judge"))
	require.Equal(t, x.vendor.bill("up-large"), x.booked())
}

// Requests in the protocols of vendors are compared if a chat completion can express them.
func TestOtherProtocolsAreCompared(t *testing.T) {
	const ask = "what is a signal box?"
	for name, tt := range map[string]struct{ path, body, other string }{
		"messages":          {"/proxy/v1/messages", `{"model":"auto","max_tokens":99,"system":"be short","messages":[{"role":"user","content":"%s"}]%s}`, `,"tools":[{"type":"web_search_20250305","name":"web_search"}]`},
		"messages, stream":  {"/proxy/v1/messages", `{"model":"auto","max_tokens":99,"stream":true,"messages":[{"role":"user","content":"%s"}]%s}`, ""},
		"responses":         {"/proxy/v1/responses", `{"model":"auto","store":false,"input":"%s"%s}`, `,"tools":[{"type":"web_search"}]`},
		"responses, stream": {"/proxy/v1/responses", `{"model":"auto","stream":true,"input":[{"role":"user","content":"%s"}]%s}`, ""},
		"gemini":            {"/proxy/v1beta/models/auto:generateContent", `{"contents":[{"role":"user","parts":[{"text":"%s"}]}]%s}`, `,"tools":[{"googleSearch":{}}]`},
		"gemini, stream":    {"/proxy/v1beta/models/auto:streamGenerateContent?alt=sse", `{"contents":[{"role":"user","parts":[{"text":"%s"}]}]%s}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newExperimentRig(t, "large", "judge", "1")
			if tt.other != "" { // a tool that the provider runs: it is rejected, or served but not repeated
				x.call("POST", tt.path, fmt.Sprintf(tt.body, "canary-tool", tt.other))
				x.await(1, 0)
			}
			before := len(x.requests)
			res, text := x.call("POST", tt.path, fmt.Sprintf(tt.body, ask, ""))
			require.Equal(t, 200, res.StatusCode, text)
			x.await(before+1, 1)
			c := x.comparisons[0].GetComparison()
			require.Equal(t, "judged", c.GetResult())
			require.EqualValues(t, 1000, c.GetScore(), "the judge has read both responses")
			require.Equal(t, x.requests[before].GetId(), c.GetRequestId())
			sent := x.vendor.calls("up-large")
			require.Len(t, sent, 1)
			require.Contains(t, sent[0], ask)
			require.Equal(t, []string{"3", "8"}, regexpOrder(t, x.vendor.calls("up-judge")[0]))
		})
	}
}
