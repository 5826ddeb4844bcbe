package policyjson_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/policyjson"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

func TestMessagesAreAsOurApisWrite(t *testing.T) {
	at := timestamppb.New(time.Date(2026, 11, 1, 12, 0, 0, 500_000_000, time.UTC))
	got, err := json.Marshal(policyjson.EncodeMessage(&routerv1.GetResponse{
		Version: &routerv1.PolicyVersion{Version: "ab", CreatedAt: at, Active: true}, FileProblems: []*routerv1.Problem{{Line: 3}},
	}))
	require.NoError(t, err)
	require.JSONEq(t, `{"read_only": false, "file_fault": "",
		"version": {"version": "ab", "created_at": "2026-11-01T12:00:00.5Z", "activated_at": null, "origin": "", "author": "", "note": "", "active": true, "document": ""},
		"file_problems": [{"path": "", "line": 3, "column": 0, "code": "", "message": "", "did_you_mean": ""}]}`, string(got))

	v := policyjson.EncodeMessage(&routerv1.Verdict{PredictedNanoUsd: proto.Int64(1 << 60)})
	require.Equal(t, int64(1<<60), v["predicted_nano_usd"], "a number, not a text")
	require.Nil(t, policyjson.EncodeMessage(&routerv1.Verdict{})["predicted_nano_usd"], "not known is not free")
	q := policyjson.EncodeMessage(&routerv1.Question{Endpoint: routerv1.Endpoint_ENDPOINT_EMBEDDINGS, Features: []*routerv1.NamedValue{{Name: "turns", Value: 2}}})
	require.Equal(t, "embeddings", q["endpoint"])
	require.Equal(t, map[string]any{"turns": int64(2)}, q["features"])
	require.Nil(t, policyjson.EncodeMessage(&routerv1.Question{})["endpoint"])
}

func TestQuestions(t *testing.T) {
	q, err := policyjson.ParseQuestion([]byte(`{"needs":["tools"],"input_tokens":1200,"caller":{"tags":["legal"]},"features":{"turns":3},"seed":7}`))
	require.NoError(t, err)
	require.True(t, proto.Equal(&routerv1.Question{
		Endpoint: routerv1.Endpoint_ENDPOINT_CHAT, Model: "auto", Needs: []string{"tools"}, InputTokens: 1200,
		Caller: &routerv1.Caller{Tags: []string{"legal"}}, Features: []*routerv1.NamedValue{{Name: "turns", Value: 3}}, Seed: 7,
	}, q), q)
	q, err = policyjson.ParseQuestion([]byte(`{"endpoint":"embeddings","model":"embed"}`))
	require.NoError(t, err)
	require.Equal(t, routerv1.Endpoint_ENDPOINT_EMBEDDINGS, q.GetEndpoint())
	require.Equal(t, "embed", q.GetModel())
	for give, want := range map[string]string{
		`nonsense`:                   "must be a JSON object",
		`[]`:                         "must be a JSON object",
		`null`:                       "must be a JSON object",
		`{"modle":"auto"}`:           `unknown field "modle"`,
		`{"caller":{"tag":"x"}}`:     `unknown field "tag"`,
		`{"input_tokens":"many"}`:    `"many"`,
		`{"endpoint":"images"}`:      `unknown endpoint "images"`,
		`{"endpoint":"unspecified"}`: "unknown endpoint",
		`{"features":[1]}`:           `"features" must be an object`,
		`{"features":{"turns":[]}}`:  "invalid question",
		`{"endpoint":1}`:             `"endpoint" must be a string`,
	} {
		_, err := policyjson.ParseQuestion([]byte(give))
		require.ErrorContains(t, err, want, give)
		require.NotContains(t, err.Error(), "proto")
	}
}
