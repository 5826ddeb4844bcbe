package segment

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func scanned(data []byte) (seqs []uint64, bad []Span, tail int) {
	bad, tail = Scan(7, data, func(_ int, f Frame) { seqs = append(seqs, f.Seq) })
	return seqs, bad, tail
}

func TestScanTornTailIsNoDamage(t *testing.T) {
	first := encoded(7, KindEnd, 1, requestID(1), "first")
	last := encoded(7, KindEnd, 2, requestID(2), "last")
	for cut := range last {
		seqs, bad, tail := scanned(append(bytes.Clone(first), last[:cut]...))
		require.Equal(t, []uint64{1}, seqs, "cut at %d", cut)
		require.Empty(t, bad, "cut at %d", cut)
		require.Equal(t, cut, tail)
	}
	seqs, bad, tail := scanned(append(bytes.Clone(first), make([]byte, 4096)...))
	require.Equal(t, []uint64{1}, seqs)
	require.Empty(t, bad, "zeros of a file that grew")
	require.Equal(t, 4096, tail)
}

func TestScanDamageCostsOnlyWhatItTouches(t *testing.T) {
	one := encoded(7, KindEnd, 1, requestID(1), "first")
	two := encoded(7, KindEnd, 2, requestID(2), "second")
	three := encoded(7, KindEnd, 3, requestID(3), "third")
	for i := range two {
		damaged := bytes.Clone(two)
		damaged[i] ^= 0x55
		seqs, bad, _ := scanned(slices.Concat(one, damaged, three))
		require.Equal(t, []uint64{1, 3}, seqs, "byte %d", i)
		require.Equal(t, []Span{{len(one), len(one) + len(two)}}, bad, "byte %d", i)
	}
	seqs, bad, _ := scanned(slices.Concat(one, two[:len(two)-3], three))
	require.Equal(t, []uint64{1, 3}, seqs, "a tail torn before more was appended")
	require.Len(t, bad, 1)
	seqs, bad, tail := scanned(slices.Concat(one, []byte("rubbish")))
	require.Equal(t, []uint64{1}, seqs)
	require.Len(t, bad, 1)
	require.Zero(t, tail)
}

func FuzzRecover(f *testing.F) {
	f.Add([]byte(""), []byte("rubbish"), []byte{0xFF, 'S', 'B', 0xFE})
	f.Add(encoded(7, KindStart, 9, requestID(9), "whole")[:30], make([]byte, 100), encoded(8, KindEnd, 9, requestID(9), "foreign"))
	f.Add(encoded(7, KindEnd, 5, requestID(5), "cut off after this")[:50], []byte("\xff"), []byte("\xffSB"))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		one := encoded(7, KindEnd, 1001, requestID(1), "one")
		two := encoded(7, KindStart, 1002, requestID(2), "two")
		data := slices.Concat(a, one, b, two, c)
		covered := 0
		var seqs []uint64
		bad, tail := Scan(7, data, func(_ int, f Frame) {
			seqs = append(seqs, f.Seq)
			covered += HeaderBytes + len(f.Payload)
		})
		require.Contains(t, seqs, uint64(1001))
		require.Contains(t, seqs, uint64(1002))
		for _, s := range bad {
			require.Less(t, s.From, s.To)
			covered += s.To - s.From
		}
		require.Equal(t, len(data), covered+tail, "every byte counts once")
	})
}
