package openaicompat_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/openaicompat"
	"github.com/signalbox/signalbox/services/proxy/internal/storedid"
)

const credential = "sk-0123456789abcdef"

func storedCall(t *testing.T, method, action string) provider.StoredCall {
	t.Helper()
	id, ok := storedid.NewSigner("acme", credential).Wrap(storedid.Response, "a1", "resp/1 ü")
	require.True(t, ok)
	claim, ok := storedid.Parse(storedid.Response, id)
	require.True(t, ok)
	return provider.StoredCall{Method: method, Object: claim, Action: action, Query: "limit=1"}
}

func wireOf(path string) *catalog.Wire {
	return &catalog.Wire{HTTP: &catalog.WireHTTP{ResponsesPath: path, Query: map[string]string{"api-version": "2"}}}
}

func TestStoredCalls(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	p := newProvider(t, openaicompat.Config{BaseURL: u.URL + "/v1", Keys: keys(t, credential), Wire: wireOf("/responses")})
	for method, action := range map[string]string{http.MethodGet: "input_items", http.MethodDelete: "", http.MethodPost: "cancel"} {
		u.Script(scripted.JSON(200, `{"id":"x"}`))
		call := storedCall(t, method, action)
		require.True(t, p.Issued("a1", &call.Object))
		require.False(t, p.Issued("a2", &call.Object))
		response, err := p.CallStored(t.Context(), call)
		require.NoError(t, err)
		require.Equal(t, `{"id":"x"}`, string(response.Body))
		require.NotNil(t, response.Signer)
		got := u.Last()
		require.Equal(t, method, got.Method)
		require.Equal(t, "api-version=2&limit=1", got.Query)
		want := "/v1/responses/resp/1 ü"
		if action != "" {
			want += "/" + action
		}
		require.Equal(t, want, got.Path, "the slash is escaped on the wire")
		require.Empty(t, got.Body)
		require.Equal(t, "Bearer "+credential, got.Header.Get("Authorization"))
	}
	u.Script(scripted.Events("{}"))
	_, err := p.CallStored(t.Context(), storedCall(t, http.MethodGet, ""))
	require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err))
}

// Without a path that is the same for all models, stored responses have no address.
func TestStoredCallsWithoutAnAddress(t *testing.T) {
	p := newProvider(t, openaicompat.Config{BaseURL: "http://127.0.0.1:1", Keys: keys(t, credential), Wire: wireOf("/deployments/{model}/responses")})
	_, err := p.CallStored(t.Context(), storedCall(t, http.MethodGet, ""))
	require.Equal(t, apperr.ObjectNotFound, apperr.CodeOf(err))
}
