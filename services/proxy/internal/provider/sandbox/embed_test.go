package sandbox_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/sandbox"
)

func requestEmbeddings(t *testing.T, input, extra string) ([][]float64, error) {
	t.Helper()
	r, err := requestbody.ParseEmbeddings(fmt.Appendf(nil, `{"model":"auto","input":%s%s}`, input, extra))
	require.NoError(t, err)
	response, err := sandbox.New().Embed(t.Context(), provider.Call{Request: r, UpstreamModel: "sandbox-embed"})
	if err != nil {
		return nil, err
	}
	var body struct {
		Data []struct {
			Index     int
			Embedding []float64
		}
		Usage struct {
			Prompt int64 `json:"prompt_tokens"`
		}
	}
	require.NoError(t, json.Unmarshal(response.Body, &body))
	require.Equal(t, r.InputTokens, body.Usage.Prompt)
	var vectors [][]float64
	for i, d := range body.Data {
		require.Equal(t, i, d.Index)
		vectors = append(vectors, d.Embedding)
	}
	return vectors, nil
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func TestVectors(t *testing.T) {
	v, err := requestEmbeddings(t, `["the red train","the red bus","seven quiet lakes"]`, "")
	require.NoError(t, err)
	require.Len(t, v, 3)
	for _, x := range v {
		require.Len(t, x, 256)
		require.InDelta(t, 1, math.Sqrt(dot(x, x)), 1e-5)
	}
	require.Greater(t, dot(v[0], v[1]), dot(v[0], v[2]), "shared words bring texts together")

	again, err := requestEmbeddings(t, `"the red train"`, "")
	require.NoError(t, err)
	require.Equal(t, v[0], again[0])
}

func TestTokenArraysAndDimensions(t *testing.T) {
	one, err := requestEmbeddings(t, `[1,2,3]`, `,"dimensions":8`)
	require.NoError(t, err)
	require.Len(t, one, 1)
	require.Len(t, one[0], 8)
	two, err := requestEmbeddings(t, `[[1,2,3],[4]]`, `,"dimensions":8`)
	require.NoError(t, err)
	require.Equal(t, one[0], two[0])
	require.NotEqual(t, two[0], two[1])
	blank, err := requestEmbeddings(t, `" "`, `,"dimensions":1`)
	require.NoError(t, err)
	require.Equal(t, [][]float64{{1}}, blank)
}

func TestEmbeddingLimits(t *testing.T) {
	_, err := requestEmbeddings(t, `"x"`, `,"dimensions":4097`)
	require.Equal(t, apperr.InvalidRequest, apperr.CodeOf(err))
	many := make([]string, 1000)
	for i := range many {
		many[i] = "word"
	}
	b, err := json.Marshal(many)
	require.NoError(t, err)
	_, err = requestEmbeddings(t, string(b), `,"dimensions":4096`)
	require.Equal(t, apperr.InvalidRequest, apperr.CodeOf(err))
}
