package jsonscan_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// outline walks a text, writing down names and scalars.
func outline(r *jsonscan.Reader) (seen []string) {
	switch {
	case r.Open(jsonscan.BeginObject):
		for r.Member() {
			seen = append(seen, string(r.Name())+":")
			seen = append(seen, outline(r)...)
		}
	case r.Open(jsonscan.BeginArray):
		for r.Element() {
			seen = append(seen, outline(r)...)
		}
	default:
		seen = append(seen, string(r.Value()))
	}
	return seen
}

func TestReaderWalks(t *testing.T) {
	var r jsonscan.Reader
	r.Reset([]byte(` {"a":[1,"two",[]],"\u0062":{},"c":null} `), false)
	require.Equal(t, []string{"a:", "1", `"two"`, "b:", "c:", "null"}, outline(&r))
	require.NoError(t, r.End())
}

func TestReaderReadsWhole(t *testing.T) {
	var r jsonscan.Reader
	r.Reset([]byte(`[{"a":[1, 2]},[ ],"x"] `), false)
	require.True(t, r.Open(jsonscan.BeginArray))
	require.False(t, r.Open(jsonscan.BeginArray), "it is left unread")
	require.Equal(t, `{"a":[1, 2]}`, string(r.Value()))
	require.Equal(t, `[ ]`, string(r.Value()))
	require.Equal(t, `"x"`, string(r.Value()))
	require.False(t, r.Element())
	require.NoError(t, r.End())
}

func TestReadersErrorSticks(t *testing.T) {
	var r jsonscan.Reader
	for _, text := range []string{"", "[1", `{"a"`, `{"a":}`, `{"a":1,"a":2}`, "[1]]", "[1,]", `{"a":[{]}`} {
		r.Reset([]byte(text), false)
		outline(&r)
		require.Error(t, r.End(), text)
		require.Nil(t, r.Value(), text)
		require.False(t, r.Member(), text)
		require.False(t, r.Element(), text)
	}
	r.Reset([]byte("{}"), false)
	r.Fail(io.ErrClosedPipe)
	r.Fail(errors.New("another"))
	require.Equal(t, io.ErrClosedPipe, r.Err())
	require.Equal(t, jsonscan.Invalid, r.Kind())
}
