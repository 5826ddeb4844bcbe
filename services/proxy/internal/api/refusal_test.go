package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// The record shows which limit rejected a request, even if no text is stored or a redaction
// pattern matches it.
func TestTheRejectingLimitIsStoredWithoutContent(t *testing.T) {
	for _, capture := range []string{"redacted", "none"} {
		g := newRigOf(t, strings.Replace(document, "defaults: {", "defaults: {logging: {redact: [{name: digits, pattern: '[0-9]+'}]}, ", 1))
		g.capture, g.limits = capture, limits.Set{RequestsPerMinute: 1}
		const hello = `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`
		for _, status := range []int{http.StatusOK, http.StatusTooManyRequests} {
			res, stop := g.post(t, hello)
			require.Equal(t, status, res.StatusCode, all(t, res))
			stop()
		}
		require.Contains(t, g.records[1].Message, "the key's limit of 1 request per minute is reached", capture)
	}
}

// The record of a rejection says why, even if no content is stored. The text contains
// nothing that the client wrote.
func TestTheReasonOfARejectionIsStoredWithoutContent(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"auto","messages":[{"role":"user","content":"canary"}],"temperature":"canary"}`: "temperature must be a number",
		`{"model":"auto","messages":"canary"}`:                                                    "messages must be an array",
		`{"model":"canary-9","messages":[{"role":"user","content":"hi"}]}`:                        "the requested model or route does not exist, or this key may not use it",
		`{"model":"auto","messages":[{"role":"user","content":"\ud800canary"}]}`:                  "the body is not valid JSON: invalid surrogate pair ... in string",
		`{"model":"auto","canary":1,"canary":2}`:                                                  "the body is not valid JSON: duplicate object member name",
		`{"model":"auto","messages":[{"role":"user","content":"hi"}],"max_tokens":1e99}`:          "max_tokens must be an integer of at least 1",
	} {
		g := newRig(t)
		g.capture = "none"
		res, stop := g.post(t, body)
		_ = all(t, res)
		stop()
		require.Len(t, g.records, 1, body)
		require.Equal(t, want, g.records[0].Message, body)
		require.NotContains(t, fmt.Sprintf("%+v", *g.records[0]), "canary")
	}
}

// Without a policy, the proxy cannot know which metadata a rule uses. Nothing is decided, so
// no metadata is needed.
func TestMetadataIsNotStoredBeforeTheFirstPolicy(t *testing.T) {
	for capture, want := range map[string]map[string]string{"none": nil, "redacted": nil, "": {"user": "Ada"}} {
		g := newRig(t)
		g.capture, g.policy = capture, nil
		res, stop := g.post(t, `{"model":"auto","messages":[{"role":"user","content":"hi"}],"metadata":{"user":"Ada"}}`)
		_ = all(t, res)
		stop()
		require.Equal(t, want, g.records[0].Question.Metadata, capture)
	}
}
