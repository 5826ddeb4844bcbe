package normalize

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	wholeCompletion    = `{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":"hello","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}],"odd":[1]},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2},"system_fingerprint":"fp"}`
	streamedCompletion = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"hel\"}}]}\n\n" +
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n"
)

// The upstream's buffer is reused as soon as the response is built.
func TestAResponseDoesNotShareMemoryWithTheUpstreamsBody(t *testing.T) {
	for _, text := range []string{wholeCompletion, streamedCompletion} {
		want, err := Chat([]byte(text), Options{ID: "x", Model: "m"})
		require.NoError(t, err)
		body := []byte(text)
		got, err := Chat(body, Options{ID: "x", Model: "m"})
		require.NoError(t, err)
		copy(body, bytes.Repeat([]byte{'#'}, len(body)))
		require.Equal(t, want, got)
	}
}

// A released body belongs to the next response. Until then, responses have bodies of their own.
func TestResponsesShareNoBody(t *testing.T) {
	var all []Response
	for range 20 {
		r, err := Chat([]byte(wholeCompletion), Options{ID: "first", Model: "m"})
		require.NoError(t, err)
		all = append(all, r)
	}
	want := string(all[0].Body)
	all[1].Release()
	for range 20 {
		r, err := Chat([]byte(strings.ReplaceAll(wholeCompletion, "hello", "other")), Options{ID: "second", Model: "m"})
		require.NoError(t, err)
		defer r.Release()
	}
	for i := range all {
		if i != 1 {
			require.Equal(t, want, string(all[i].Body))
		}
	}
	require.Nil(t, all[1].Body, "a released response has no body")
}
