package conversationtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// failures maps the conversations that fail with every adapter to the expected codes.
var failures = map[string][]apperr.Code{
	"billing":              {apperr.ProviderQuotaExhausted},
	"client-leaves":        {apperr.ClientCancelled},
	"client-leaves-midway": {apperr.ClientCancelled},
	"error-400":            {apperr.ProviderBadRequest},
	"error-401":            {apperr.ProviderAuth},
	"error-403":            {apperr.ProviderAuth, apperr.ProviderModelUnavailable},
	"error-404":            {apperr.ProviderModelUnavailable},
	"error-413":            {apperr.RequestTooLarge},
	"error-429":            {apperr.ProviderRateLimited},
	"error-500":            {apperr.ProviderUpstream},
	"error-context":        {apperr.ContextLengthExceeded},
	"error-cut":            {apperr.ProviderConnection},
	"error-empty":          {apperr.ProviderInvalidResponse, apperr.ProviderInterrupted},
	"error-garbage":        {apperr.ProviderInvalidResponse, apperr.ProviderInterrupted},
	"error-overloaded":     {apperr.ProviderOverloaded},
	"error-page":           {apperr.ProviderUpstream},
	"error-parameter":      {apperr.ProviderBadRequest},
	"error-quota":          {apperr.ProviderQuotaExhausted},
}

// streamFailures maps the conversations that fail only as a stream to the expected code.
var streamFailures = map[string]apperr.Code{
	"stream-cut-midway":   apperr.ProviderConnection,
	"stream-fails-first":  apperr.ProviderOverloaded,
	"stream-fails-midway": apperr.ProviderOverloaded,
}

// checkFailure checks that the error has the expected code. A rejection with
// UNSUPPORTED_PARAMETER must name the parameter and must come before any call.
func (c conversation) checkFailure(t *testing.T, x *exchange) {
	t.Helper()
	code := apperr.CodeOf(x.err)
	if want, ok := failures[c.name]; ok {
		require.Contains(t, want, code, "%v", x.err)
	}
	if want, ok := streamFailures[c.name]; ok && x.request.Stream {
		require.Equal(t, want, code, "%v", x.err)
	}
	if code == apperr.ProviderRateLimited {
		require.Positive(t, apperr.From(x.err).RetryAfter)
	}
	if code == apperr.UnsupportedParameter {
		require.NotEmpty(t, apperr.From(x.err).Details["param"])
		require.Empty(t, x.sent, "it is rejected before the call")
	}
}
