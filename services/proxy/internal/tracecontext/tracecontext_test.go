package tracecontext

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestParse(t *testing.T) {
	c, ok := Parse([]string{parent}, []string{"a=1", "b=2"})
	require.True(t, ok)
	require.True(t, c.IsSampled())
	require.Equal(t, "a=1,b=2", c.State)
	require.Equal(t, Headers{Parent: parent, State: "a=1,b=2"}, c.HeadersFor([8]byte{}), "without a span the client's is passed on")
	require.Equal(t, "00-0af7651916cd43dd8448eb211c80319c-0900000000000000-01", c.HeadersFor([8]byte{9}).Parent)
	c.SetSampled(false)
	require.True(t, strings.HasSuffix(c.HeadersFor([8]byte{}).Parent, "-00"))
}

func TestParseIgnoresInvalidHeaders(t *testing.T) {
	for name, give := range map[string][]string{
		"none":              nil,
		"two":               {parent, parent},
		"empty":             {""},
		"short":             {parent[:54]},
		"more in version 0": {parent + "-x"},
		"version ff":        {"ff" + parent[2:]},
		"upper case":        {strings.ToUpper(parent)},
		"zero trace":        {"00-00000000000000000000000000000000-b7ad6b7169203331-01"},
		"zero span":         {"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"},
		"line break":        {parent[:53] + "\r\n"},
		"separator":         {strings.Replace(parent, "-", "_", 1)},
	} {
		_, ok := Parse(give, nil)
		require.False(t, ok, name)
	}
}

func TestParseAcceptsLaterVersions(t *testing.T) {
	c, ok := Parse([]string{"cc" + parent[2:] + "-what-the-future-brings"}, []string{strings.Repeat("x", 513)})
	require.True(t, ok)
	require.Empty(t, c.State, "too long")
	require.Equal(t, parent, c.HeadersFor([8]byte{}).Parent)
	c, _ = Parse([]string{parent}, []string{"a=\r\nEvil: 1"})
	require.Empty(t, c.State)
}

func FuzzParse(f *testing.F) {
	f.Add(parent, "a=1")
	f.Fuzz(func(t *testing.T, p, s string) {
		c, ok := Parse([]string{p}, []string{s})
		if !ok {
			return
		}
		h := c.HeadersFor([8]byte{})
		again, ok := Parse([]string{h.Parent}, []string{h.State})
		require.True(t, ok)
		require.Equal(t, c.TraceID, again.TraceID)
		require.False(t, strings.ContainsAny(h.State, "\r\n"))
	})
}
