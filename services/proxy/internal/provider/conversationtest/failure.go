package conversationtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// failures are the codes of conversations that fail, wherever they are had.
var failures = map[string][]apperr.Code{
	"billing":              {apperr.ProviderQuotaExhausted},
	"client-leaves":        {apperr.ClientCancelled},
	"client-leaves-midway": {apperr.ClientCancelled},
	"compressed":           {apperr.ProviderInvalidResponse},
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

// broken are those of streams that begin well, or not at all.
var broken = map[string]apperr.Code{
	"stream-cut-midway":   apperr.ProviderConnection,
	"stream-fails-first":  apperr.ProviderOverloaded,
	"stream-fails-midway": apperr.ProviderOverloaded,
}

// checkFailure wants the class that the conversation is about; else a refusal
// that names what it refuses.
func (c conversation) checkFailure(t *testing.T, x *exchange) {
	t.Helper()
	code := apperr.CodeOf(x.err)
	if want, ok := failures[c.name]; ok {
		require.Contains(t, want, code, "%v", x.err)
	}
	if want, ok := broken[c.name]; ok && x.request.Stream {
		require.Equal(t, want, code, "%v", x.err)
	}
	if code == apperr.ProviderRateLimited {
		require.Positive(t, apperr.From(x.err).RetryAfter)
	}
	if code == apperr.UnsupportedParameter {
		require.NotEmpty(t, apperr.From(x.err).Details["param"])
		require.Empty(t, x.sent, "it is refused before the call")
	}
}
