package normalize_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

// The vectors 1, -0.5 and 0.25, 2 in base64 of little-endian float32.
const (
	first64  = `"AACAPwAAAL8="`
	second64 = `"AACAPgAAAEA="`
)

func embed(t *testing.T, members string) *requestbody.Request {
	t.Helper()
	r, err := requestbody.ParseEmbeddings([]byte(`{"model":"auto","input":["a","b"]` + members + `}`))
	require.NoError(t, err)
	return r
}

func TestEmbeddingsResponseEncoding(t *testing.T) {
	const floats = `{"object":"list","x":1,"data":[{"index":1,"embedding":[0.25, 2]},{"index":0,"embedding":[1,-0.5]}],"model":"up","usage":{"prompt_tokens":3,"total_tokens":3}}`
	const encoded = `{"data":[{"embedding":` + first64 + `},{"embedding":` + second64 + `}]}`
	answer := func(first, second, tail string) string {
		return `{"object":"list","data":[{"object":"embedding","index":0,"embedding":` + first +
			`},{"object":"embedding","index":1,"embedding":` + second + `}],"model":"m","usage":` + tail
	}
	reported := `{"prompt_tokens":3,"total_tokens":3},"x":1}`
	estimated := `{"prompt_tokens":2,"total_tokens":2}}`
	for name, tc := range map[string]struct{ members, give, want string }{
		"floats for base64": {`,"encoding_format":"base64"`, floats, answer(first64, second64, reported)},
		"base64 for base64": {`,"encoding_format":"base64"`, encoded, answer(first64, second64, estimated)},
		"floats for floats": {`,"encoding_format":"float"`, floats, answer("[1,-0.5]", "[0.25, 2]", reported)},
		"data twice":        {``, `{"data":[{"embedding":[7]}],` + encoded[1:], answer("[1,-0.5]", "[0.25,2]", estimated)},
		"base64 for none":   {``, encoded, answer("[1,-0.5]", "[0.25,2]", estimated)},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := normalize.Embeddings([]byte(tc.give), embed(t, tc.members), "m")
			require.NoError(t, err)
			require.Equal(t, tc.want, string(a.Body))
			if tc.give == floats {
				require.Equal(t, &catalog.Usage{Input: 3}, a.Usage)
			} else {
				require.Nil(t, a.Usage)
			}
		})
	}
}

func TestEmbeddingsResponseRejects(t *testing.T) {
	for give, want := range map[string]apperr.Code{
		`{}`:                           apperr.ProviderInvalidResponse,
		`[]`:                           apperr.ProviderInvalidResponse,
		`{"data":[{"embedding":[1]}]}`: apperr.ProviderInvalidResponse,
		`{"data":[{"embedding":[1]},{"embedding":[1]},{"embedding":[1]}]}`:                               apperr.ProviderInvalidResponse,
		`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`:                             apperr.ProviderInvalidResponse,
		`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[2]},{"index":1,"embedding":[3]}]}`: apperr.ProviderInvalidResponse,
		`{"data":[{"index":-1,"embedding":[1]},{"index":0,"embedding":[1]}]}`:                            apperr.ProviderInvalidResponse,
		`{"data":[{"embedding":[1]},{"embedding":[1,2]}]}`:                                               apperr.ProviderInvalidResponse,
		`{"data":[{"embedding":[]},{"embedding":[]}]}`:                                                   apperr.ProviderInvalidResponse,
		`{"data":[{"embedding":["a"]},{"embedding":[1]}]}`:                                               apperr.ProviderInvalidResponse,
		`{"data":[{"embedding":[1e300]},{"embedding":[1]}]}`:                                             apperr.ProviderInvalidResponse,
		`{"data":[{"embedding":"AAA="},{"embedding":"AAA="}]}`:                                           apperr.ProviderInvalidResponse,
		`{"data":[{"embedding":"AADAfw=="},{"embedding":"AADAfw=="}]}`:                                   apperr.ProviderInvalidResponse,
		`{"data":[{"embedding":"AACAPw==="},{"embedding":"AACAPw==="}]}`:                                 apperr.ProviderInvalidResponse,
		`{"data":[{"embedding":"AACAPw======"},{"embedding":"AACAPw======"}]}`:                           apperr.ProviderInvalidResponse,
		`{"data":[{},{}]}`:                    apperr.ProviderInvalidResponse,
		`{"data":[5,5]}`:                      apperr.ProviderInvalidResponse,
		`{"error":{"code":429}}`:              apperr.ProviderRateLimited,
		`{"error":{"message":"?"},"data":[]}`: apperr.ProviderInvalidResponse,
	} {
		_, err := normalize.Embeddings([]byte(give), embed(t, ""), "m")
		require.True(t, apperr.Is(err, want), "%s: %v", give, err)
	}
}
