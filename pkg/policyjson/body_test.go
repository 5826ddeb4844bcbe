package policyjson_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/policyjson"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

func TestARequestBodyIsAQuestion(t *testing.T) {
	q, err := policyjson.ParseQuestionOrBody([]byte(`{"model":"fast","max_tokens":50,"temperature":0.2,"metadata":{"purpose":"batch"},
		"messages":[{"role":"user","content":"Hello there"}],"tools":[{"type":"function","function":{"name":"f"}}]}`), "")
	require.NoError(t, err)
	require.Equal(t, routerv1.Endpoint_ENDPOINT_CHAT, q.GetEndpoint())
	require.Equal(t, "fast", q.GetModel())
	require.Equal(t, []string{"tools"}, q.GetNeeds())
	require.Equal(t, int64(50), q.GetMaxOutputTokens())
	require.Equal(t, map[string]string{"purpose": "batch"}, q.GetMetadata())
	require.Equal(t, "Hello there", q.GetExcerpt())
	require.Positive(t, q.GetInputTokens())
	require.NotEmpty(t, q.GetFeatures())

	q, err = policyjson.ParseQuestionOrBody([]byte(`{"input":"Hello","caller":{"tags":["legal"]}}`), "")
	require.NoError(t, err)
	require.Equal(t, routerv1.Endpoint_ENDPOINT_EMBEDDINGS, q.GetEndpoint())
	require.Equal(t, "auto", q.GetModel())
	require.True(t, proto.Equal(&routerv1.Caller{Tags: []string{"legal"}}, q.GetCaller()))

	want, err := policyjson.ParseQuestion([]byte(`{"needs":["tools"]}`))
	require.NoError(t, err)
	q, err = policyjson.ParseQuestionOrBody([]byte(`{"needs":["tools"]}`), "")
	require.NoError(t, err)
	require.True(t, proto.Equal(want, q))

	for give, problem := range map[string]string{
		`{"messages":[]}`:                        "messages must not be empty",
		`{"messages":[{"role":"user"}],"n":"x"}`: "n must be",
		`{"input":"a","caller":{"tag":"x"}}`:     `unknown field "tag"`,
		`nonsense`:                               "must be a JSON object",
		`{"modle":"auto"}`:                       `unknown field "modle"`,
	} {
		_, err := policyjson.ParseQuestionOrBody([]byte(give), "")
		require.ErrorContains(t, err, problem, give)
	}
}

// Every protocol has fields of its own. Where it has none, the caller says which one it is.
func TestTheProtocolOfABody(t *testing.T) {
	const chat, native, responses, gemini, embeddings = "", "messages", "responses", "gemini", "embeddings"
	for body, want := range map[string]string{
		`{"messages":[{"role":"user","content":"a"}]}`: chat,
		`{"messages":[{"role":"system","content":"a"},{"role":"user","content":"b"}],"tools":[{"type":"function","function":{"name":"f"}}]}`: chat,
		`{"max_tokens":9,"system":"x","messages":[{"role":"user","content":"a"}]}`:                                                           native,
		`{"max_tokens":9,"messages":[{"role":"user","content":"a"}],"tools":[{"name":"f","input_schema":{"type":"object"}}]}`:                native,
		`{"input":"a","instructions":"b"}`:                              responses,
		`{"input":[{"role":"user","content":"a"}]}`:                     responses,
		`{"model":"models/auto","contents":[{"parts":[{"text":"a"}]}]}`: gemini,
		`{"input":["a","b"]}`:                                           embeddings,
		`{"input":"a","dimensions":8}`:                                  embeddings,
	} {
		q, err := policyjson.ParseQuestionOrBody([]byte(body), "")
		require.NoError(t, err, body)
		require.Equal(t, "auto", q.GetModel(), body)
		isEmbedding := q.GetEndpoint() == routerv1.Endpoint_ENDPOINT_EMBEDDINGS
		require.Equal(t, want == embeddings, isEmbedding, body)
		if !isEmbedding {
			require.Equal(t, want, q.GetNativeProtocol(), body)
		}
	}
	q, err := policyjson.ParseQuestionOrBody([]byte(`{"input":"a"}`), "responses")
	require.NoError(t, err)
	require.Equal(t, routerv1.Endpoint_ENDPOINT_CHAT, q.GetEndpoint())
	_, err = policyjson.ParseQuestionOrBody([]byte(`{"input":"a"}`), "smoke")
	require.ErrorContains(t, err, "unknown protocol")
}
