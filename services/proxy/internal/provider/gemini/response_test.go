package gemini

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/testkit/golden"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

var answerOptions = normalize.Options{ID: "id", Created: 1, Model: "m", InputTokens: 5, Choices: 1}

// lineEvents are the events of a recording, one per line.
type lineEvents struct {
	rest []string
	end  error
}

func (l *lineEvents) Next() ([]byte, error) {
	if len(l.rest) == 0 {
		return nil, l.end
	}
	line := l.rest[0]
	l.rest = l.rest[1:]
	return []byte(line), nil
}

func (l *lineEvents) Close() error { return nil }

// playStream returns what a client sees of a stream: its frames and its error.
func playStream(source provider.Events) (frames string, usage *catalog.Usage, err error) {
	return playChoices(1, source)
}

// playChoices is playStream for a request of n choices.
func playChoices(n int, source provider.Events) (frames string, usage *catalog.Usage, err error) {
	stream := normalize.NewStream(normalize.StreamOptions{ID: "id", Created: 1, Model: "m", IncludeUsage: true, Choices: n})
	var dst []byte
	e := newEventStream(source)
	for {
		payload, err := e.Next()
		if errors.Is(err, io.EOF) {
			stream.MarkDone()
		}
		if errors.Is(err, io.EOF) || errors.Is(err, sse.ErrNoDone) {
			dst, err = stream.Finish(dst)
			return string(dst), stream.Usage(), err
		}
		if err == nil {
			dst, err = stream.AppendEvent(dst, payload)
		}
		if err != nil {
			return string(dst), stream.Usage(), err
		}
	}
}

func formatFailure(err error) string {
	if err == nil {
		return ""
	}
	e := apperr.From(err)
	return "failed: " + string(e.Code) + ": " + e.Message + "\n"
}

func TestResponses(t *testing.T) {
	for _, c := range golden.ReadCases(t, "testdata/answer") {
		t.Run(c.Name, func(t *testing.T) {
			translated, _ := translateResponse([]byte(c.Input))
			a, err := normalize.Chat(translated, answerOptions)
			got := formatFailure(err)
			if err == nil {
				got = indentJSON(t, a.Body)
			}
			c.Check(t, got)
		})
	}
}

func TestStreams(t *testing.T) {
	for _, c := range golden.ReadCases(t, "testdata/stream") {
		t.Run(c.Name, func(t *testing.T) {
			lines := strings.Split(strings.TrimSpace(c.Input), "\n")
			frames, _, err := playStream(&lineEvents{lines, sse.ErrNoDone})
			c.Check(t, frames+formatFailure(err))
		})
	}
}

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		name, give string
		want       *catalog.Usage
	}{
		{"thoughts beside", `{"promptTokenCount":29,"candidatesTokenCount":15,"totalTokenCount":1845,"thoughtsTokenCount":1801}`,
			&catalog.Usage{Input: 29, Output: 1816, Reasoning: 1801}},
		{"cached among", `{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":5,"totalTokenCount":105}`,
			&catalog.Usage{Input: 40, CacheRead: 60, Output: 5}},
		{"tools beside", `{"promptTokenCount":10,"toolUsePromptTokenCount":7,"candidatesTokenCount":5,"totalTokenCount":22}`,
			&catalog.Usage{Input: 17, Output: 5}},
		{"no total", `{"promptTokenCount":10,"candidatesTokenCount":5}`, &catalog.Usage{Input: 10, Output: 5}},
		{"thoughts alone", `{"promptTokenCount":10,"thoughtsTokenCount":4,"totalTokenCount":14}`,
			&catalog.Usage{Input: 10, Output: 4, Reasoning: 4}},
		{"nothing counted", `{"trafficType":"ON_DEMAND"}`, nil},
		{"nonsense", `{"promptTokenCount":"many"}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body, _ := translateResponse([]byte(`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],"usageMetadata":` + tt.give + `}`))
			a, err := normalize.Chat(body, answerOptions)
			require.NoError(t, err)
			require.Equal(t, tt.want, a.Usage)
		})
	}
}

func TestFinishReasons(t *testing.T) {
	for reason, want := range map[string]string{
		"STOP": "stop", "MAX_TOKENS": "length", "CONTINUATION": "length", "SAFETY": "content_filter", "RECITATION": "content_filter",
		"LANGUAGE": "content_filter", "BLOCKLIST": "content_filter", "PROHIBITED_CONTENT": "content_filter", "SPII": "content_filter",
		"IMAGE_SAFETY": "content_filter", "IMAGE_PROHIBITED_CONTENT": "content_filter", "IMAGE_RECITATION": "content_filter",
		"MALFORMED_FUNCTION_CALL": "", "UNEXPECTED_TOOL_CALL": "", "TOO_MANY_TOOL_CALLS": "", "MISSING_THOUGHT_SIGNATURE": "",
		"MALFORMED_RESPONSE": "", "OTHER": "", "NO_IMAGE": "", "IMAGE_OTHER": "", "SOMETHING_NEW": "",
	} {
		answer := func(parts string) (normalize.Response, error) {
			body, _ := translateResponse([]byte(`{"candidates":[{"content":{"parts":[` + parts + `]},"finishReason":"` + reason +
				`"}],"usageMetadata":{"promptTokenCount":3,"totalTokenCount":3}}`))
			return normalize.Chat(body, answerOptions)
		}
		a, err := answer(`{"text":"hm","thought":true}`)
		if want == "" {
			require.Equal(t, apperr.ProviderUpstream, apperr.CodeOf(err), "%s: another target may do it", reason)
			require.EqualValues(t, 3, a.Usage.Input, "the input is billed")
			a, err = answer(`{"text":"some"}`)
			want = "stop"
		}
		require.NoError(t, err)
		require.Contains(t, string(a.Body), `"finish_reason":"`+want+`"`, reason)
	}
}

func TestEndOfStream(t *testing.T) {
	const hello = `{"candidates":[{"content":{"parts":[{"text":"hello"}]}%s}]}`
	said := strings.Replace(hello, "%s", "", 1)
	over := strings.Replace(hello, "%s", `,"finishReason":"STOP"`, 1)
	for _, end := range []error{io.EOF, sse.ErrNoDone} {
		_, _, err := playStream(&lineEvents{[]string{said, over}, end})
		require.NoError(t, err)
		_, _, err = playStream(&lineEvents{[]string{said}, end})
		require.Equal(t, apperr.ProviderInterrupted, apperr.CodeOf(err))
		_, _, err = playStream(&lineEvents{nil, end})
		require.Equal(t, apperr.ProviderInterrupted, apperr.CodeOf(err))
	}
	other := `{"candidates":[{"index":1,"content":{"parts":[{"text":"two"}]}}]}`
	_, _, err := playChoices(2, &lineEvents{[]string{said, other, over}, io.EOF})
	require.Equal(t, apperr.ProviderInterrupted, apperr.CodeOf(err), "the other choice was cut off")
	_, _, err = playChoices(2, &lineEvents{[]string{said, other, over, strings.Replace(over, `{"content"`, `{"index":1,"content"`, 1)}, io.EOF})
	require.NoError(t, err)
	e := newEventStream(&lineEvents{[]string{said}, io.EOF})
	_, err = e.Next()
	require.NoError(t, err)
	_, err = e.Next()
	require.Equal(t, sse.ErrNoDone, err, "io.EOF is for a proper end alone")
	broken := errors.New("reset")
	e = newEventStream(&lineEvents{[]string{over}, broken})
	_, err = e.Next()
	require.NoError(t, err)
	_, err = e.Next()
	require.ErrorIs(t, err, broken)
	require.False(t, e.Ready())
}

func TestSignaturesTravelInIDs(t *testing.T) {
	for _, sign := range []string{"AQID", "_w==", "+/+/+w==", "AA==", "not base64 at all", ""} {
		id := withSignature([]byte("call_gen_r_0"), []byte(sign))
		bare, back := splitSignature(id)
		require.Equal(t, "call_gen_r_0", string(bare))
		if strings.ContainsAny(sign, " _") || sign == "" {
			require.Nil(t, back, "a signature that cannot be restored is not sent")
			continue
		}
		require.Equal(t, sign, string(back))
	}
	bare, sign := splitSignature([]byte("ends__thought__"))
	require.Equal(t, "ends__thought__", string(bare))
	require.Nil(t, sign)
}

func TestArgumentsInPieces(t *testing.T) {
	for _, tt := range []struct {
		want  string
		piece []string
	}{
		{`{}`, nil},
		{`{"a":"xy","b":[1.50,null,true],"c d":{"e":"\n"}}`, []string{
			`{"jsonPath":"$.a","stringValue":"x","willContinue":true}`, `{"jsonPath":"$.b[0]","numberValue":1.50}`,
			`{"jsonPath":"$.a","stringValue":"y"}`, `{"jsonPath":"$.b[2]","boolValue":true}`,
			`{"jsonPath":"$['c d'].e","stringValue":"\n"}`}},
		{`{"a":"z"}`, []string{`{"jsonPath":"$.a","stringValue":"x"}`, `{"jsonPath":"$.a","stringValue":"z"}`}},
		{`{"a":{"b":null}}`, []string{`{"jsonPath":"$.a","stringValue":"x"}`, `{"jsonPath":"$.a.b","nullValue":"NULL_VALUE"}`}},
		{`{"a":1}`, []string{
			`{"jsonPath":"$.a","numberValue":1}`, `{"jsonPath":"a","numberValue":2}`, `{"jsonPath":"$","numberValue":2}`,
			`{"jsonPath":"$.","numberValue":2}`, `{"jsonPath":"$[x]","numberValue":2}`, `{"jsonPath":"$[-1]","numberValue":2}`,
			`{"jsonPath":"$.a"}`, `{"jsonPath":"$x","numberValue":2}`, `{"jsonPath":"$['a","numberValue":2}`,
			`{"jsonPath":"$` + strings.Repeat(".a", 100) + `","numberValue":2}`, `{}`, `1`}},
		{`{}`, []string{`{"jsonPath":"$[0]","numberValue":1}`}},
	} {
		var got argumentTree
		for _, p := range tt.piece {
			got.addPiece([]byte(p))
		}
		require.Equal(t, tt.want, string(got.toJSON()))
	}
	var wide argumentTree
	wide.addPiece([]byte(`{"jsonPath":"$.a[2000000000]","numberValue":1}`))
	require.LessOrEqual(t, wide.nodes, maxNodes+1)
}
