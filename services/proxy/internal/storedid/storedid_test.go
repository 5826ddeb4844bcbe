package storedid_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/storedid"
)

const (
	upstreamID = "resp_68af4030592c81938ec0a5fbab4a3e9f05438e46b5f69a3b"
	secretOne  = "sk-one-0123456789abcdef"
	secretTwo  = "sk-two-0123456789abcdef"
)

func wrap(t *testing.T, s *storedid.Signer, account, id string) string {
	t.Helper()
	text, ok := s.Wrap(storedid.Response, account, id)
	require.True(t, ok)
	return text
}

// opens reports whether the signer accepts the text as an id of the account.
func opens(s *storedid.Signer, account, text string) bool {
	c, ok := storedid.Parse(storedid.Response, text)
	return ok && s.Accepts(account, &c)
}

func TestWrapperOpensForItsAccountOnly(t *testing.T) {
	s := storedid.NewSigner("open", secretOne)
	text := wrap(t, s, "a1", upstreamID)
	require.Regexp(t, `^resp_[A-Za-z0-9_-]+$`, text)
	require.Less(t, len(text), 160)
	c, ok := storedid.Parse(storedid.Response, text)
	require.True(t, ok)
	require.Equal(t, "open", c.Provider)
	require.Equal(t, upstreamID, c.UpstreamID)
	require.True(t, s.Accepts("a1", &c))
	require.Equal(t, text, wrap(t, s, "a1", upstreamID), "the same object has the same id")

	require.False(t, s.Accepts("a2", &c), "another account")
	require.False(t, s.Accepts("", &c))
	require.True(t, storedid.NewSigner("open", secretOne).Accepts("a1", &c), "another proxy, or after a restart")
	require.False(t, storedid.NewSigner("open", secretTwo).Accepts("a1", &c), "another credential")
	require.False(t, storedid.NewSigner("other", secretOne).Accepts("a1", &c), "another provider with the same credential")
}

// A client that knows the format can change every part except the MAC.
func TestAChangedWrapperIsRejected(t *testing.T) {
	s := storedid.NewSigner("open", secretOne)
	text := wrap(t, s, "a1", upstreamID)
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(text, "resp_"))
	require.NoError(t, err)
	for i := range raw {
		changed := append([]byte(nil), raw...)
		changed[i] ^= 1
		require.False(t, opens(s, "a1", "resp_"+base64.RawURLEncoding.EncodeToString(changed)), "byte %d", i)
	}
	for n := range text {
		require.False(t, opens(s, "a1", text[:n]), "cut to %d bytes", n)
	}
	for _, suffix := range []string{"A", "AA", "=", "\n", "/input_items"} {
		require.False(t, opens(s, "a1", text+suffix), suffix)
	}
	require.False(t, opens(s, "a1", strings.Replace(text, "resp_", "file_", 1)))
	require.False(t, opens(s, "a1", upstreamID))
}

// The provider of a claim is not signed by name alone: a signer of another provider with the same
// credential must not accept the claim after its name was swapped.
func TestASwappedProviderIsRejected(t *testing.T) {
	one, two := storedid.NewSigner("open", secretOne), storedid.NewSigner("next", secretOne)
	c, ok := storedid.Parse(storedid.Response, wrap(t, one, "a1", upstreamID))
	require.True(t, ok)
	c.Provider = "next"
	require.False(t, two.Accepts("a1", &c))
	c.Kind, c.Provider = "file_", "open"
	require.False(t, one.Accepts("a1", &c), "another kind")
	c.Kind = storedid.Response
	require.True(t, one.Accepts("a1", &c))
}

// Parts that join to the same text have different MACs.
func TestPartsAreSeparated(t *testing.T) {
	s := storedid.NewSigner("open", secretOne)
	c, ok := storedid.Parse(storedid.Response, wrap(t, s, "a1", upstreamID))
	require.True(t, ok)
	require.False(t, s.Accepts("a1open", &c))
	require.False(t, s.Accepts("a", &c))
}

func TestOnlyASecretSigns(t *testing.T) {
	for _, credential := range []string{"", "none", "0123456789abcde"} {
		s := storedid.NewSigner("open", credential)
		require.Nil(t, s)
		_, ok := s.Wrap(storedid.Response, "a1", upstreamID)
		require.False(t, ok)
		require.False(t, s.Accepts("a1", &storedid.Claim{}))
		require.False(t, s.HasFingerprint(storedid.Fingerprint{}))
	}
	require.NotNil(t, storedid.NewSigner("open", "0123456789abcdef"))
}

func TestFingerprintFindsTheCredential(t *testing.T) {
	one, two := storedid.NewSigner("open", secretOne), storedid.NewSigner("open", secretTwo)
	c, ok := storedid.Parse(storedid.Response, wrap(t, two, "a1", upstreamID))
	require.True(t, ok)
	require.False(t, c.Fingerprint.IsZero())
	require.False(t, one.HasFingerprint(c.Fingerprint))
	require.True(t, two.HasFingerprint(c.Fingerprint))
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(wrap(t, two, "a1", upstreamID), "resp_"))
	require.NoError(t, err)
	require.NotContains(t, string(raw), secretTwo[:8])
}

func TestLengthIsBounded(t *testing.T) {
	s := storedid.NewSigner(strings.Repeat("p", 128), secretOne)
	longest := wrap(t, s, "a1", strings.Repeat("x", 256))
	require.Len(t, longest, storedid.MaxLength)
	require.True(t, opens(s, "a1", longest))
	for _, id := range []string{"", strings.Repeat("x", 257)} {
		_, ok := s.Wrap(storedid.Response, "a1", id)
		require.False(t, ok)
	}
	_, ok := storedid.NewSigner(strings.Repeat("p", 129), secretOne).Wrap(storedid.Response, "a1", upstreamID)
	require.False(t, ok)
}

// No text but the wrapper itself opens.
func FuzzOpen(f *testing.F) {
	s := storedid.NewSigner("open", secretOne)
	known, _ := s.Wrap(storedid.Response, "a1", upstreamID)
	other, _ := s.Wrap(storedid.Response, "a2", upstreamID)
	for _, seed := range []string{"", "resp_", upstreamID, known, other, known + "A", known[:40], "resp_AQ", "resp_" + strings.Repeat("_", 60)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := storedid.Parse(storedid.Response, text)
		if !ok {
			return
		}
		require.LessOrEqual(t, len(text), storedid.MaxLength)
		require.NotEmpty(t, c.UpstreamID)
		if s.Accepts("a1", &c) {
			again, ok := s.Wrap(storedid.Response, "a1", c.UpstreamID)
			require.True(t, ok)
			require.Equal(t, again, text)
		}
	})
}
