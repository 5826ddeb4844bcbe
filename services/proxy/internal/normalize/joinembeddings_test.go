package normalize_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
)

func TestBatches(t *testing.T) {
	r, err := requestbody.ParseEmbeddings([]byte(`{"model":"e","input":["a", "b","c"],"dimensions":1}`))
	require.NoError(t, err)
	same, err := outbound.SplitBatches(r, 3)
	require.NoError(t, err)
	require.Equal(t, []*requestbody.Request{r}, same)
	batches, err := outbound.SplitBatches(r, 2)
	require.NoError(t, err)
	require.Len(t, batches, 2)
	require.Equal(t, `{"model":"e","input":["a","b"],"dimensions":1}`, string(batches[0].Body))
	require.Equal(t, `{"model":"e","input":["c"],"dimensions":1}`, string(batches[1].Body))

	body, err := normalize.JoinEmbeddings([][]byte{
		[]byte(`{"data":[{"index":1,"embedding":[2]},{"index":0,"embedding":[1]}],"usage":{"prompt_tokens":4,"total_tokens":4}}`),
		[]byte(`{"data":[{"embedding":[3]}],"usage":{"prompt_tokens":3,"total_tokens":3}}`),
	}, batches)
	require.NoError(t, err)
	a, err := normalize.Embeddings(body, r, "m")
	require.NoError(t, err)
	require.Equal(t, &catalog.Usage{Input: 7}, a.Usage)
	require.Contains(t, string(a.Body), `"index":0,"embedding":[1]},{"object":"embedding","index":1,"embedding":[2]},{"object":"embedding","index":2,"embedding":[3]}]`)
	_, err = normalize.JoinEmbeddings([][]byte{[]byte(`{"data":[{"embedding":[3]}]}`)}, batches)
	require.Error(t, err)
	_, err = normalize.JoinEmbeddings([][]byte{[]byte(`{"error":{"code":429}}`)}, batches)
	require.Error(t, err)
}
