package jsonscan_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// outline walks a text and returns its names and scalars.
func outline(r *jsonscan.Reader) (seen []string) {
	switch {
	case r.Enter(jsonscan.BeginObject):
		for r.NextMember() {
			seen = append(seen, string(r.Name())+":")
			seen = append(seen, outline(r)...)
		}
	case r.Enter(jsonscan.BeginArray):
		for r.NextElement() {
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
	require.NoError(t, r.CheckEnd())
}

func TestReaderReadsNestedValues(t *testing.T) {
	var r jsonscan.Reader
	r.Reset([]byte(`[{"a":[1, 2]},[ ],"x"] `), false)
	require.True(t, r.Enter(jsonscan.BeginArray))
	require.False(t, r.Enter(jsonscan.BeginArray), "it is left unread")
	require.Equal(t, `{"a":[1, 2]}`, string(r.Value()))
	require.Equal(t, `[ ]`, string(r.Value()))
	require.Equal(t, `"x"`, string(r.Value()))
	require.False(t, r.NextElement())
	require.NoError(t, r.CheckEnd())
}

func TestReaderKeepsFirstError(t *testing.T) {
	var r jsonscan.Reader
	for _, text := range []string{"", "[1", `{"a"`, `{"a":}`, `{"a":1,"a":2}`, "[1]]", "[1,]", `{"a":[{]}`} {
		r.Reset([]byte(text), false)
		outline(&r)
		require.Error(t, r.CheckEnd(), text)
		require.Nil(t, r.Value(), text)
		require.False(t, r.NextMember(), text)
		require.False(t, r.NextElement(), text)
	}
	r.Reset([]byte("{}"), false)
	r.SetError(io.ErrClosedPipe)
	r.SetError(errors.New("another"))
	require.Equal(t, io.ErrClosedPipe, r.Err())
	require.Equal(t, jsonscan.Invalid, r.PeekKind())
}
