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
	require.Equal(t, parent, c.ParentFor([8]byte{}), "without a span the client's is passed on")
	require.Equal(t, "00-0af7651916cd43dd8448eb211c80319c-0900000000000000-01", c.ParentFor([8]byte{9}))
	c.SetSampled(false)
	require.True(t, strings.HasSuffix(c.ParentFor([8]byte{}), "-00"))
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
	require.Equal(t, parent, c.ParentFor([8]byte{}))
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
		again, ok := Parse([]string{c.ParentFor([8]byte{})}, nil)
		require.True(t, ok)
		require.Equal(t, c.TraceID, again.TraceID)
		require.False(t, strings.ContainsAny(c.State, "\r\n"))
	})
}
