package normalize_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

// playTranscript plays events and returns the transcript of them with the given limit.
func playTranscript(t *testing.T, limit int, events ...string) (string, int64) {
	t.Helper()
	all := normalize.NewTranscript(limit)
	defer all.Release()
	s := normalize.NewStream(normalize.StreamOptions{ID: "r1", Created: 7, Model: "m", Transcript: all})
	for _, e := range events {
		_, err := s.AppendEvent(nil, []byte(e))
		require.NoError(t, err, e)
	}
	_, _ = s.Finish(nil)
	body, length := all.Response()
	return string(body), length
}

func delta(members string) string {
	return `{"id":"u","choices":[{"index":0,"delta":{` + members + `},"finish_reason":null}]}`
}

func TestTranscriptResponse(t *testing.T) {
	const (
		head = `{"id":"r1","object":"chat.completion","created":7,"model":"m","choices":[`
		stop = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	)
	tests := []struct {
		name   string
		events []string
		want   string
	}{
		{
			"text", []string{delta(`"role":"assistant","content":""`), delta(`"content":"a\n"`), delta(`"content":"b\""`), delta(`"content":"c"`), stop},
			`{"index":0,"message":{"role":"assistant","content":"a\nb\"c"},"finish_reason":"stop"}]}`,
		},
		{
			"usage", []string{delta(`"content":"a"`), stop, `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1,"x":2}}`},
			`{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4,"x":2}}`,
		},
		{
			"broken off", []string{delta(`"content":"a"`), delta(`"content":"b"`)},
			`{"index":0,"message":{"role":"assistant","content":"ab"},"finish_reason":null}]}`,
		},
		{
			"reasoning beside text, the same twice", []string{
				delta(`"reasoning_content":"so "`), delta(`"content":"x","reasoning_content":"so"`), delta(`"content":"y","reasoning_content":"so"`), stop,
			},
			`{"index":0,"message":{"role":"assistant","content":"xy","reasoning_content":"so soso"},"finish_reason":"stop"}]}`,
		},
		{
			"refusal", []string{delta(`"refusal":"n"`), delta(`"refusal":"o"`), stop},
			`{"index":0,"message":{"role":"assistant","content":"","refusal":"no"},"finish_reason":"stop"}]}`,
		},
		{
			"tool calls", []string{
				delta(`"tool_calls":[{"index":1,"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a"}}]`),
				delta(`"tool_calls":[{"index":1,"id":"c1","function":{"name":"f","arguments":"\":1}"}}]`),
				delta(`"tool_calls":[{"index":2,"function":{"name":"g"}}]`), stop,
			},
			`{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},` +
				`{"id":"call_r1_1","type":"function","function":{"name":"g","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
		},
		{
			"arguments that are no text", []string{delta(`"tool_calls":[{"id":"c","function":{"name":"f","arguments":{"a":1}}}]`), stop},
			`{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},` +
				`"finish_reason":"tool_calls"}]}`,
		},
		{
			"choices by turns", []string{
				delta(`"content":"a"`), strings.Replace(delta(`"content":"x"`), `"index":0`, `"index":1`, 1), delta(`"content":"b"`),
				strings.Replace(delta(`"content":"y"`), `"index":0`, `"index":1`, 1), stop,
			},
			`{"index":0,"message":{"role":"assistant","content":"ab"},"finish_reason":"stop"},` +
				`{"index":1,"message":{"role":"assistant","content":"xy"},"finish_reason":null}]}`,
		},
		{
			"a complete response", []string{`{"choices":[{"index":0,"message":{"role":"assistant","content":"all"},"finish_reason":"length"}]}`},
			`{"index":0,"message":{"role":"assistant","content":"all"},"finish_reason":"length"}]}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body, length := playTranscript(t, 1<<10, tt.events...)
			require.Equal(t, head+tt.want, body)
			require.True(t, json.Valid([]byte(body)))
			require.EqualValues(t, len(body), length)
		})
	}
}

func TestTranscriptIsTruncated(t *testing.T) {
	var events []string
	for i := range 100 {
		events = append(events, delta(fmt.Sprintf(`"content":"w%03d\u00e9 "`, i)))
	}
	whole, length := playTranscript(t, 1<<20, events...)
	require.EqualValues(t, len(whole), length)
	for _, limit := range []int{1, 90, 120, 121, 122, 500, len(whole) - 1} {
		body, said := playTranscript(t, limit, events...)
		require.Equal(t, whole[:limit], body)
		require.Equal(t, length, said, limit)
	}
}

func TestTranscriptMemoryIsBounded(t *testing.T) {
	const limit = 1 << 10
	long := strings.Repeat("x", limit)
	var events []string
	for range 3 {
		for i := range 100 {
			events = append(events, strings.Replace(delta(`"content":"`+long+`"`), `"index":0`, fmt.Sprintf(`"index":%d`, i), 1))
		}
	}
	all := normalize.NewTranscript(limit)
	defer all.Release()
	s := normalize.NewStream(normalize.StreamOptions{Transcript: all})
	for _, e := range events {
		_, err := s.AppendEvent(nil, []byte(e))
		require.NoError(t, err)
	}
	body, length := all.Response()
	require.Len(t, body, limit)
	require.Greater(t, length, int64(300*limit))
	require.Less(t, all.Held(), 10*limit)
}

func TestTranscriptUsesLastStream(t *testing.T) {
	all := normalize.NewTranscript(1 << 10)
	defer all.Release()
	body, length := all.Response()
	require.Nil(t, body)
	require.Zero(t, length)
	for _, word := range []string{"first", "second"} {
		s := normalize.NewStream(normalize.StreamOptions{Transcript: all})
		_, err := s.AppendEvent(nil, []byte(delta(`"content":"`+word+`"`)))
		require.NoError(t, err)
	}
	body, _ = all.Response()
	require.Contains(t, string(body), "second")
	require.NotContains(t, string(body), "first")
}
