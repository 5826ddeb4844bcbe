package upstream

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestABodyIsSentMoreThanOnce(t *testing.T) {
	const want = "onetwothree"
	first := &outbound{pieces: [][]byte{[]byte("one"), nil, []byte("two"), []byte("three"), nil}}
	require.EqualValues(t, len(want), first.length())
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
		"written": func(r io.Reader) (string, error) {
			var b bytes.Buffer
			_, err := io.Copy(&b, r)
			return b.String(), err
		},
		"read and written": func(r io.Reader) (string, error) {
			head := make([]byte, 4)
			if _, err := io.ReadFull(r, head); err != nil {
				return "", err
			}
			b := bytes.NewBuffer(head)
			_, err := io.Copy(b, r)
			return b.String(), err
		},
	} {
		again, err := first.again()
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

// A transport may have to make a call twice.
func TestACallsBodyCanBeHadAgain(t *testing.T) {
	var first, second []byte
	_, _, err := do(t.Context(), t, func(r *http.Request) *http.Response {
		first, _ = io.ReadAll(r.Body)
		again, err := r.GetBody()
		require.NoError(t, err)
		second, _ = io.ReadAll(again)
		return stream(http.NoBody)
	})
	require.NoError(t, err)
	require.Equal(t, "hello", string(first))
	require.Equal(t, string(first), string(second))
}
