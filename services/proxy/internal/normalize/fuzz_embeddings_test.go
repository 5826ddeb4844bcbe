package normalize_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

// FuzzEmbeddings returns the same vectors as floats and as base64 to clients
// that want either encoding.
func FuzzEmbeddings(f *testing.F) {
	f.Add([]byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xbf})
	f.Add([]byte{0, 0, 0xc0, 0x7f})
	f.Add([]byte{1, 0, 0, 0, 0xff, 0xff, 0x7f, 0x7f, 0, 0, 0, 0x80})
	f.Fuzz(func(t *testing.T, raw []byte) {
		raw = raw[:len(raw)/4*4]
		vector, floats := make([]float32, len(raw)/4), true
		for i := range vector {
			vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
			floats = floats && !math.IsNaN(float64(vector[i])) && !math.IsInf(float64(vector[i]), 0)
		}
		encoded, err := json.Marshal(base64.StdEncoding.EncodeToString(raw))
		require.NoError(t, err)
		given := map[string][]byte{"base64": encoded}
		if floats {
			given["floats"], err = json.Marshal(vector)
			require.NoError(t, err)
		}
		for name, give := range given {
			for _, format := range []string{"", `,"encoding_format":"base64"`} {
				body := fmt.Appendf(nil, `{"data":[{"embedding":%s},{"embedding":%s}]}`, give, give)
				a, err := normalize.Embeddings(body, embed(t, format), "m")
				require.Equal(t, floats && len(raw) > 0, err == nil, "%s: %v", name, err)
				if err == nil {
					require.Equal(t, raw, vectorOf(t, a.Body, format != ""))
				}
			}
		}
	})
}

// vectorOf returns the second vector of a response as bytes.
func vectorOf(t *testing.T, body []byte, encoded bool) (raw []byte) {
	t.Helper()
	var got struct {
		Data []struct {
			Index     int
			Embedding json.RawMessage
		}
		Usage map[string]int64
	}
	require.NoError(t, json.Unmarshal(body, &got), "%s", body)
	require.Len(t, got.Data, 2)
	require.Contains(t, got.Usage, "prompt_tokens")
	require.Equal(t, 1, got.Data[1].Index)
	if encoded {
		require.NoError(t, json.Unmarshal(got.Data[1].Embedding, &raw))
		return raw
	}
	var vector []float32
	require.NoError(t, json.Unmarshal(got.Data[1].Embedding, &vector))
	for _, v := range vector {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return raw
}

// FuzzEmbeddingsResponse parses arbitrary bytes as a response.
func FuzzEmbeddingsResponse(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":1,"embedding":[1,2]},{"embedding":"AACAPwAAAL8="}],"x":1,"usage":{"total_tokens":3}}`), true)
	f.Add([]byte(`{"data":[{"embedding":[1e39]},{"embedding":[]}]}`), false)
	f.Add([]byte(`{"error":{"code":429}}`), false)
	f.Fuzz(func(t *testing.T, body []byte, encoded bool) {
		format := ""
		if encoded {
			format = `,"encoding_format":"base64"`
		}
		a, err := normalize.Embeddings(bytes.Clone(body), embed(t, format), "m")
		if err == nil {
			require.NotEmpty(t, vectorOf(t, a.Body, encoded))
		}
	})
}
