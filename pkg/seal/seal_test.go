package seal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/seal"
)

func TestASecretOpensOnlyForItsOwnerAndPurpose(t *testing.T) {
	key := []byte("0123456789abcdef0123456789abcdef")
	s, err := seal.New(key, "one")
	require.NoError(t, err)
	sealed := s.Seal("acc", "secret")
	require.NotContains(t, string(sealed), "secret")
	require.NotEqual(t, sealed, s.Seal("acc", "secret"))
	text, err := s.Open("acc", sealed)
	require.NoError(t, err)
	require.Equal(t, "secret", text)
	_, err = s.Open("other", sealed)
	require.ErrorIs(t, err, seal.ErrSealed)
	second, err := seal.New(key, "two")
	require.NoError(t, err)
	_, err = second.Open("acc", sealed)
	require.ErrorIs(t, err, seal.ErrSealed)
	text, err = s.Open("acc", nil)
	require.NoError(t, err)
	require.Empty(t, text)
}
