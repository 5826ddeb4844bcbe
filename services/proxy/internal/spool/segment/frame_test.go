package segment

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func encoded(key uint32, kind byte, seq uint64, id [16]byte, payload string) []byte {
	d := NewDraft(key, kind, id, WithHeadroom([]byte(payload)))
	d.Seal(seq)
	return d.Buf
}

func TestFrameRoundTrip(t *testing.T) {
	for _, payload := range []string{"", "x", strings.Repeat("long ", 10_000)} {
		data := encoded(7, KindEnd, 42, requestID(9), payload)
		f, n, err := Decode(7, append(data, "what follows"...))
		require.NoError(t, err)
		require.Equal(t, len(data), n)
		require.Equal(t, Frame{Kind: KindEnd, Seq: 42, ID: requestID(9), Payload: []byte(payload)}, f)
	}
}

func TestFrameEveryBitCounts(t *testing.T) {
	data := encoded(7, KindStart, 3, requestID(1), "payload")
	for i := range data {
		for bit := range 8 {
			bad := bytes.Clone(data)
			bad[i] ^= 1 << bit
			_, _, err := Decode(7, bad)
			require.Error(t, err, "byte %d bit %d", i, bit)
		}
	}
}

// A client that knows the format must not be able to inject a forged record into the
// ledger by way of a damaged frame around it.
func TestFrameOfAnotherProducerIsNone(t *testing.T) {
	forged := encoded(8, KindEnd, 1, requestID(1), "forged")
	_, _, err := Decode(7, forged)
	require.ErrorIs(t, err, errDamaged)
}

func TestFrameLengthIsCapped(t *testing.T) {
	data := encoded(7, KindEnd, 1, requestID(1), "")
	copy(data[32:], "\xff\xff\xff\x7f")
	_, _, err := Decode(7, data)
	require.ErrorIs(t, err, errDamaged)
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte("payload"), uint64(1))
	f.Add(encoded(7, KindStart, 3, requestID(1), "inner"), uint64(3))
	f.Fuzz(func(t *testing.T, data []byte, seq uint64) {
		if got, n, err := Decode(7, data); err == nil {
			again := encoded(7, got.Kind, got.Seq, got.ID, string(got.Payload))
			require.Equal(t, data[:n], again)
		}
		got, _, err := Decode(7, encoded(7, KindEnd, seq, requestID(1), string(data)))
		require.NoError(t, err)
		require.Equal(t, seq, got.Seq)
		require.True(t, bytes.Equal(data, got.Payload))
	})
}
