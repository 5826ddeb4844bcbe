package api_test

import (
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
