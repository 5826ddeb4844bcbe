package upstream

import (
	"net/url"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/storedid"
)

const (
	longOne = "one-0123456789abcdef"
	longTwo = "two-0123456789abcdef"
)

// claimOf returns the claim for an object that a credential of acme has stored.
func claimOf(t *testing.T, credential string) *storedid.Claim {
	t.Helper()
	id, ok := storedid.NewSigner("acme", credential).Wrap(storedid.Response, "a1", "resp_1")
	require.True(t, ok)
	claim, ok := storedid.Parse(storedid.Response, id)
	require.True(t, ok)
	return &claim
}

func callPinned(t *testing.T, c *Client, pin storedid.Fingerprint) (Response, error) {
	t.Helper()
	return c.Do(t.Context(), Request{
		Address: egress.NewAddress(&url.URL{Scheme: "http", Host: "acme.example"}), Model: "m", Pin: pin, BodyPieces: [][]byte{[]byte("hello")},
	})
}

func TestAPinnedCallUsesItsKey(t *testing.T) {
	v := &vendor{t: t, statuses: map[string]int{longOne: 200, longTwo: 200}}
	c := v.client(longOne, longTwo)
	for range 3 {
		r, err := callPinned(t, c, claimOf(t, longTwo).Fingerprint)
		require.NoError(t, err)
		id, ok := r.ToProviderResponse().Signer.Wrap(storedid.Response, "a1", "resp_1")
		require.True(t, ok)
		got, _ := storedid.Parse(storedid.Response, id)
		require.Equal(t, claimOf(t, longTwo), &got, "the signer is that of the key")
	}
	require.Equal(t, []string{longTwo, longTwo, longTwo}, v.called)
	_, err := callPinned(t, c, claimOf(t, "another-credential").Fingerprint)
	require.Equal(t, apperr.ObjectNotFound, apperr.CodeOf(err))
	_, err = callPinned(t, v.client("short", "shorter"), claimOf(t, longTwo).Fingerprint)
	require.Equal(t, apperr.ObjectNotFound, apperr.CodeOf(err))
	require.Len(t, v.called, 3)
}

func TestAPinnedCallAsksForNoOtherKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for status, text := range map[int]string{401: "rejects the key", 429: "rate-limits the key"} {
			v := &vendor{t: t, statuses: map[string]int{longOne: 200, longTwo: status}}
			c := v.client(longOne, longTwo)
			pin := claimOf(t, longTwo).Fingerprint
			_, err := callPinned(t, c, pin)
			require.Error(t, err)
			require.NotErrorAs(t, err, new(*provider.RepeatError))
			_, err = callPinned(t, c, pin)
			require.Contains(t, apperr.From(err).Message, text+" with which the object was stored")
			require.Equal(t, []string{longTwo}, v.called, "the key is held")
			_, err = callClient(t.Context(), c)
			require.NoError(t, err, "other calls use the other key")
		}
	})
}

func TestIssued(t *testing.T) {
	c := (&vendor{t: t}).client(longOne, longTwo)
	require.True(t, c.Issued("a1", claimOf(t, longOne)))
	require.True(t, c.Issued("a1", claimOf(t, longTwo)))
	require.False(t, c.Issued("a2", claimOf(t, longOne)))
	require.False(t, c.Issued("a1", claimOf(t, "another-credential")))
}
