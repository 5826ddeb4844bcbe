package openairesponses_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/providertest"
)

func nativeCall(t *testing.T, body string) provider.Call {
	t.Helper()
	r, err := requestbody.ParseResponses([]byte(body))
	require.NoError(t, err)
	return provider.Call{Request: r, UpstreamModel: "pro", Header: map[string][]string{"X-Client": {"c"}}}
}

// A request of the protocol is forwarded unchanged, and so is the response.
func TestNativeRequest(t *testing.T) {
	const body = `{ "input" : "hi","unknown":[1.0],"model":"auto", "temperature":0.5,"store":false }`
	u := scriptedtest.New(t, serve)
	response, err := newEndpoint(t, u.URL).CallNative(t.Context(), nativeCall(t, body))
	require.NoError(t, err)
	require.Equal(t, strings.Replace(body, `"auto"`, `"pro"`, 1), string(u.Received()[0].Body))
	require.Equal(t, "/responses", u.Received()[0].Path)
	require.Equal(t, "c", u.Received()[0].Header.Get("X-Client"))
	require.Equal(t, plainResponse, string(response.Body))
}

func TestNativeStream(t *testing.T) {
	u := scriptedtest.New(t, serve)
	response, err := newEndpoint(t, u.URL).CallNative(t.Context(), nativeCall(t, `{"model":"auto","input":"hi","stream":true}`))
	require.NoError(t, err)
	var text string
	for _, want := range responseEvents {
		payload, err := response.Events.Next()
		require.NoError(t, err)
		require.Equal(t, want, string(payload))
		chunk, err := response.TranslateEvent(payload)
		require.NoError(t, err)
		text += string(chunk)
	}
	require.Contains(t, text, `"content":"Hello"`)
	_, err = providertest.ReadAll(response.Events)
	require.NoError(t, err)
}

// The rules of the endpoint apply to forwarded requests too. Only what must change changes.
func TestNativeRequestFollowsTheWire(t *testing.T) {
	u := scriptedtest.New(t, serve)
	p := newEndpoint(t, u.URL)
	call := nativeCall(t, `{"model":"auto", "temperature":0.5,"input":"hi","reasoning":{"summary":"auto", "effort":"minimal"},"max_output_tokens":9000,"store":false}`)
	call.Wire = &catalog.Wire{
		Drop: []string{"temperature", "store"}, Reject: []string{"stop"},
		Values: map[string]map[string]string{"reasoning_effort": {"minimal": "low"}},
		Limits: map[string]catalog.Limit{"max_completion_tokens": {Max: "4096"}},
	}
	response, err := p.CallNative(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, `{"model":"pro","input":"hi","reasoning":{"summary":"auto", "effort":"low"},"max_output_tokens":4096,"store":false}`,
		string(u.Received()[0].Body))
	require.Equal(t, []string{"temperature", "max_output_tokens"}, response.DroppedFields)

	call.Wire = &catalog.Wire{AllowedValues: map[string][]string{"service_tier": {"auto"}}}
	call.Request = nativeCall(t, `{"model":"auto","input":"hi","service_tier":"flex"}`).Request
	_, err = p.CallNative(t.Context(), call)
	require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err))
	require.Len(t, u.Received(), 1)
}
