package emulate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
)

func TestWhichToolsAreCalled(t *testing.T) {
	v := newOpenAI(t, options)
	const tools = `"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b","parameters":{"type":"object","properties":{"n":{"type":"integer","minimum":3},"u":{"enum":["x","y"]},"o":{"type":"string"}},"required":["n","u"]}}}]`
	for _, tt := range []struct {
		name, said, more string
		want             []string
	}{
		{"none", "hello", "", nil},
		{"one", "please call a.", "", []string{`"name":"a"`}},
		{"both in order", "call b and a", "", []string{`"name":"b"`, `"name":"a"`}},
		{"one twice", "call a, a", "", []string{`"name":"a"`, `"name":"a"`}},
		{"one at a time", "call a, b", `,"parallel_tool_calls":false`, []string{`"name":"a"`}},
		{"forbidden", "call a", `,"tool_choice":"none"`, nil},
		{"required", "hello", `,"tool_choice":"required"`, []string{`"name":"a"`}},
		{"named", "call a", `,"tool_choice":{"type":"function","function":{"name":"b"}}`, []string{`"name":"b"`}},
		{"arguments", "call b", "", []string{`"name":"b","arguments":"{\"n\":3,\"u\":\"x\"}"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, body, err := v.call(t, strings.Replace(v.saying(tt.said), "{", "{"+tools+tt.more+",", 1))
			require.NoError(t, err)
			require.Equal(t, len(tt.want), strings.Count(body, `"name":`), body)
			for _, w := range tt.want {
				before, after, found := strings.Cut(body, w)
				require.True(t, found, body)
				body = before[:0] + after
			}
		})
	}
}

func TestSaying(t *testing.T) {
	for name, v := range everyVendor(t) {
		t.Run(name, func(t *testing.T) {
			_, body, err := v.call(t, v.saying("[[emulate:say=all is well]]"))
			require.NoError(t, err)
			require.Contains(t, body, `"all is well"`)
			_, body, err = v.call(t, v.saying("[[emulate:words=500]]"))
			require.NoError(t, err)
			require.Contains(t, body, strings.TrimSpace(strings.Repeat("word ", 500)))
			book := v.Calls()
			u := book[1].Usage
			require.Equal(t, emulate.Tokens(strings.TrimSpace(strings.Repeat("word ", 500))), u.Output-u.Reasoning)
		})
	}
}

func TestLongLines(t *testing.T) {
	for name, v := range everyVendor(t) {
		t.Run(name, func(t *testing.T) {
			v := v.streaming()
			body := strings.Replace(v.saying("[[emulate:lump;words=200000]]"), "2048", "1000000", 1)
			_, said, err := v.call(t, body)
			require.NoError(t, err)
			require.True(t, strings.Contains(said, strings.TrimSpace(strings.Repeat("word ", 200_000))))
		})
	}
}

func TestSchemasThatContainThemselves(t *testing.T) {
	v := newOpenAI(t, options)
	const loop = `{"$defs":{"P":{"type":"object","properties":{"a":{"$ref":"#/$defs/P"},"b":{"type":"array","minItems":9,"items":{"$ref":"#/$defs/P"}}},"required":["a","b"]}},"$ref":"#/$defs/P"}`
	res, body, err := v.call(t, v.with(t, `{"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":`+loop+`}}}`))
	require.NoError(t, err)
	require.Equal(t, 200, res.StatusCode)
	require.Less(t, len(body), 1<<20)
}

func TestSeveralAnswers(t *testing.T) {
	o, g := newOpenAI(t, options), newGemini(t, options)
	_, body, err := o.call(t, o.with(t, `{"n":3}`))
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(body, "You said: hello"))
	require.EqualValues(t, 12, o.Calls()[0].Usage.Output)
	_, body, err = g.call(t, g.with(t, `{"generationConfig":{"candidateCount":2}}`))
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(body, "You said: hello"))
}
