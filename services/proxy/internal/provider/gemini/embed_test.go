package gemini_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/providertest"
)

func TestEmbeddingsRequest(t *testing.T) {
	u := scriptedtest.New(t, serveGoogle)
	r, err := requestbody.ParseEmbeddings([]byte(`{"model":"auto","input":["a\n","b"],"dimensions":2,"task_type":"RETRIEVAL_QUERY","title":"T","user":"u","encoding_format":"base64"}`))
	require.NoError(t, err)
	response, err := newProvider(t, u.URL).Embed(t.Context(), provider.Call{Request: r, UpstreamModel: "embed-x"})
	require.NoError(t, err)
	require.Equal(t, []string{"user"}, response.DroppedFields)
	const each = `"outputDimensionality":2,"taskType":"RETRIEVAL_QUERY","title":"T"}`
	require.Equal(t, `{"requests":[{"model":"models/embed-x","content":{"parts":[{"text":"a\n"}]},`+each+
		`,{"model":"models/embed-x","content":{"parts":[{"text":"b"}]},`+each+`]}`, string(u.Last().Body))
	_, err = normalize.Embeddings(response.Body, r, "m")
	require.NoError(t, err)
}

func TestManyInputs(t *testing.T) {
	for _, tt := range []struct {
		inputs, calls int
		wire          *catalog.Wire
	}{{100, 1, nil}, {101, 2, nil}, {1050, 11, nil}, {5, 3, &catalog.Wire{MaxInputs: 2}}} {
		u := scriptedtest.New(t, func(r scriptedtest.Received) scripted.Response {
			a := serveGoogle(r)
			return scripted.JSON(200, strings.ReplaceAll(a.Body(), "[0,", "[0.5,"))
		})
		texts := make([]string, tt.inputs)
		for i := range texts {
			texts[i] = strings.Repeat("x", i+1)
		}
		input, err := json.Marshal(texts)
		require.NoError(t, err)
		call := providertest.EmbedCall(t, "embed-x", string(input))
		call.Wire = tt.wire
		response, err := newProvider(t, u.URL).Embed(t.Context(), call)
		require.NoError(t, err)
		require.Equal(t, tt.calls, response.UpstreamCalls)
		require.Len(t, u.Received(), tt.calls)
		a, err := normalize.Embeddings(response.Body, call.Request, "m")
		require.NoError(t, err)
		require.EqualValues(t, 2*tt.calls, a.Usage.Input)

		var got struct {
			Data []struct{ Embedding [2]float64 }
		}
		require.NoError(t, json.Unmarshal(a.Body, &got))
		for i, d := range got.Data {
			require.InEpsilon(t, 2*float64(i+1), d.Embedding[1]/d.Embedding[0], 1e-5, "in the order of the inputs")
			require.InEpsilon(t, 1, d.Embedding[0]*d.Embedding[0]+d.Embedding[1]*d.Embedding[1], 1e-5, "of length 1")
		}
	}
}

func TestVectorsAreLeftAlone(t *testing.T) {
	wide := strings.Repeat("0.5,", 3071) + "0.5"
	for name, values := range map[string]string{"of length 1": "0.6,0.80", "full": wide, "of nothing": "0,0"} {
		u := scriptedtest.New(t, serveGoogle)
		u.Script(scripted.JSON(200, `{"embeddings":[{"values":[`+values+`]}]}`))
		call := providertest.EmbedCall(t, "embed-x", `"x"`)
		response, err := newProvider(t, u.URL).Embed(t.Context(), call)
		require.NoError(t, err)
		require.Equal(t, `{"data":[{"embedding":[`+values+`]}]}`, string(response.Body), name)
		a, err := normalize.Embeddings(response.Body, call.Request, "m")
		require.NoError(t, err)
		require.Nil(t, a.Usage, "missing usage is not invented")
	}
}

func TestFailedEmbeddings(t *testing.T) {
	input := `["` + strings.Repeat(`x","`, 150) + `x"]`
	for name, tt := range map[string]struct {
		answer scripted.Response
		code   apperr.Code
	}{
		"refused":   {scripted.JSON(429, `{"error":{"code":429,"message":"slow","status":"RESOURCE_EXHAUSTED"}}`), apperr.ProviderRateLimited},
		"in a 200":  {scripted.JSON(200, `{"error":{"code":503,"message":"no","status":"UNAVAILABLE"}}`), apperr.ProviderOverloaded},
		"no json":   {scripted.JSON(200, `<html>`), apperr.ProviderInvalidResponse},
		"too few":   {scripted.JSON(200, `{"embeddings":[]}`), apperr.ProviderInvalidResponse},
		"no values": {scripted.JSON(200, fmt.Sprintf(`{"embeddings":[%s{}]}`, strings.Repeat("{},", 99))), apperr.ProviderInvalidResponse},
	} {
		u := scriptedtest.New(t, func(scriptedtest.Received) scripted.Response { return tt.answer })
		call := providertest.EmbedCall(t, "embed-x", input)
		response, err := newProvider(t, u.URL).Embed(t.Context(), call)
		if err == nil {
			_, err = normalize.Embeddings(response.Body, call.Request, "m")
		}
		require.Equal(t, tt.code, apperr.CodeOf(err), name)
	}
}

func TestEmbeddingsRejectStream(t *testing.T) {
	u := scriptedtest.New(t, serveGoogle)
	u.Script(scripted.Events(`{}`).First(1, scripted.Hang))
	_, err := newProvider(t, u.URL).Embed(t.Context(), providertest.EmbedCall(t, "embed-x", `"x"`))
	require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err))
	u.AwaitDisconnect(t)
}
