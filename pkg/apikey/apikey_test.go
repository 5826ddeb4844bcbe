package apikey_test

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
)

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// golden is a fixed key: if it is rejected, every key in use is.
const golden = "sbx_live_0123456789ABCDEFGHIJKLMNOPQRSTUV4U2bLL"

func TestForm(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		key := apikey.New()
		require.Regexp(t, `^sbx_live_[0-9A-Za-z]{38}$`, key)
		require.Len(t, key, apikey.Len)
		require.True(t, apikey.IsValid(key))
		require.False(t, seen[key])
		seen[key] = true
	}
}

func TestKeysInUseStayValid(t *testing.T) {
	require.True(t, apikey.IsValid(golden))
}

func TestEverySingleMistakeIsCaught(t *testing.T) {
	key := []byte(apikey.New())
	for i, right := range key {
		for b := range 256 {
			if byte(b) == right {
				continue
			}
			key[i] = byte(b)
			require.False(t, apikey.IsValid(string(key)), "%q", key)
		}
		key[i] = right
	}
	require.True(t, apikey.IsValid(string(key)))
}

func TestSwappedNeighboursAreCaught(t *testing.T) {
	key := []byte(golden)
	for i := range len(key) - 1 {
		if key[i] == key[i+1] {
			continue
		}
		key[i], key[i+1] = key[i+1], key[i]
		require.False(t, apikey.IsValid(string(key)), "%q", key)
		key[i], key[i+1] = key[i+1], key[i]
	}
}

func TestWrongForms(t *testing.T) {
	for _, key := range []string{
		"", "sbx_live_", golden[:len(golden)-1], golden + "0", " " + golden[1:], strings.ToLower(golden),
		strings.Replace(golden, "live", "test", 1), golden[:len(golden)-1] + "\x00",
	} {
		require.False(t, apikey.IsValid(key), "%q", key)
	}
}

// Every character is as likely as any other. 62,000 draws give each about
// 1,000, with a standard deviation of 31: a fair source misses this range once
// in more than 10^15 runs, while the bias of a plain remainder shifts the
// first 8 characters to about 1,210.
func TestCharactersAreEvenlySpread(t *testing.T) {
	const keys, perKey = 1938, 32
	counts := map[rune]int{}
	for range keys {
		for _, c := range apikey.New()[len(apikey.Prefix) : len(apikey.Prefix)+perKey] {
			counts[c]++
		}
	}
	require.Len(t, counts, len(alphabet))
	first, rest := 0, 0
	for i, c := range alphabet {
		require.InDelta(t, keys*perKey/len(alphabet), counts[c], 300, "%c", c)
		if i < 8 {
			first += counts[c]
		} else {
			rest += counts[c]
		}
	}
	require.InDelta(t, float64(rest)/54, float64(first)/8, 110)
}

func TestSumAndShown(t *testing.T) {
	require.EqualValues(t, sha256.Sum256([]byte(golden)), apikey.DigestOf(golden))
	require.Equal(t, "sbx_live_0123", apikey.DisplayPrefix(golden))
	require.Empty(t, apikey.DisplayPrefix("sbx_live_01"))
}

func FuzzValid(f *testing.F) {
	f.Add(golden)
	f.Add("")
	f.Add("sbx_live_")
	f.Add(golden[:len(golden)-1])
	f.Add(strings.Repeat("\xff", apikey.Len))
	f.Fuzz(func(t *testing.T, key string) {
		if !apikey.IsValid(key) {
			return
		}
		require.Regexp(t, `^sbx_live_[0-9A-Za-z]{38}$`, key)
		require.True(t, strings.HasPrefix(key, apikey.DisplayPrefix(key)))
		other := []byte(key)
		other[len(apikey.Prefix)] ^= 1
		require.False(t, apikey.IsValid(string(other)))
	})
}
