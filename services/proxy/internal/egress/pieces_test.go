package egress

import (
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestABodyIsSentMoreThanOnce(t *testing.T) {
	const want = "onetwothree"
	first := &pieces{all: [][]byte{[]byte("one"), nil, []byte("two"), []byte("three"), nil}}
	require.EqualValues(t, len(want), (&Post{Pieces: first.all}).length())
	for name, send := range map[string]func(io.Reader) (string, error){
		"read": func(r io.Reader) (string, error) { b, err := io.ReadAll(r); return string(b), err },
		"byte by byte": func(r io.Reader) (string, error) {
			b, err := io.ReadAll(iotest.OneByteReader(r))
			return string(b), err
		},
		"exactly": func(r io.Reader) (string, error) {
			b := make([]byte, len(want))
			_, err := io.ReadFull(r, b)
			return string(b), err
		},
	} {
		again, err := first.reopen()
		require.NoError(t, err)
		got, err := send(again)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
		n, err := again.Read(make([]byte, 1))
		require.Zero(t, n, name)
		require.ErrorIs(t, err, io.EOF, name)
		require.NoError(t, again.Close())
	}
}

// A transport may have to send a body twice.
func TestACallsBodyCanBeHadAgain(t *testing.T) {
	p := posted(t, "http://acme.example", "hello")
	req := p.request(t.Context())
	first, err := io.ReadAll(req.Body)
	require.NoError(t, err)
	again, err := req.GetBody()
	require.NoError(t, err)
	second, err := io.ReadAll(again)
	require.NoError(t, err)
	require.Equal(t, "hello", string(first))
	require.Equal(t, string(first), string(second))
}
