package requestbody_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
)

// The number of choices is a feature, because it multiplies what a request can cost.
func TestSeveralChoicesAreAFeature(t *testing.T) {
	for more, want := range map[string]int64{``: 0, `,"n":1`: 0, `,"n":3`: 3} {
		r, err := requestbody.ParseChat([]byte("{" + chatBody + more + "}"))
		require.NoError(t, err)
		require.Equal(t, want, r.Features.GetOrZero("choices"), more)
		require.Equal(t, r.Features.ToMap(), r.Features.SortUnique().ToMap(), "the list is sorted")
		_, ok := r.Features.Get("user_bytes")
		require.True(t, ok, "every name is found")
	}
	r, err := requestbody.ParseGenerateContent([]byte(`{"generationConfig":{"candidateCount":2},`+geminiBody+`}`), "m", false)
	require.NoError(t, err)
	require.Equal(t, int64(2), r.Features.GetOrZero("choices"))
}
