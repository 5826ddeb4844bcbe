package shadow

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheRequestIsRepeatedWithoutItsClient(t *testing.T) {
	req, isClients, err := buildRequest([]byte(`{"model":"auto","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true},
		"user":"ann","metadata":{"a":"b"},"store":true,"service_tier":"priority","max_completion_tokens":50,"temperature":0.3,
		"tools":[{"type":"function","function":{"name":"f"}}]}`), 10)
	require.NoError(t, err)
	require.True(t, isClients)
	var sent map[string]any
	require.NoError(t, json.Unmarshal(req.Body, &sent))
	require.Equal(t, map[string]any{
		"model": "shadow", "messages": []any{map[string]any{"role": "user", "content": "hi"}}, "max_tokens": 50.0, "temperature": 0.3,
		"tools": []any{map[string]any{"type": "function", "function": map[string]any{"name": "f"}}},
	}, sent)
	require.False(t, req.Stream)
}

func TestTheResponseHasALimit(t *testing.T) {
	for _, tt := range []struct {
		client, served, limit int64
		isClients             bool
	}{
		{0, 10, minOutputLimit, false}, {0, 5000, 20_000, false}, {100, 10, 100, true}, {1 << 20, 10, minOutputLimit, false},
	} {
		limit, isClients := outputLimit(tt.client, tt.served)
		require.Equal(t, tt.limit, limit)
		require.Equal(t, tt.isClients, isClients)
	}
}

func TestWhatAProviderCouldRunAgainIsNotRepeated(t *testing.T) {
	for _, fields := range []string{
		`,"tools":[{"type":"web_search"}]`, `,"tools":[{"type":"function","function":{"name":"f"}},{"type":"mcp"}]`, `,"tools":{}`,
		`,"web_search_options":{}`, `,"plugins":[]`, `,"x_sandbox":{}`, `,"modalities":["audio"]`, `,"n":2`, `,"functions":[]`, `,"background":true`,
	} {
		_, _, err := buildRequest([]byte(`{"model":"auto","messages":[{"role":"user","content":"hi"}]`+fields+`}`), 10)
		require.Error(t, err, fields)
	}
	_, _, err := buildRequest([]byte(`{"model":"auto","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a.example/x.png"}}]}]}`), 10)
	require.ErrorIs(t, err, errNotRepeatable)
}
