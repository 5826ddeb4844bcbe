package spool

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func scanned(data []byte) (seqs []uint64, bad []span, tail int) {
	bad, tail = scanFrames(7, data, func(_ int, f frame) { seqs = append(seqs, f.seq) })
	return seqs, bad, tail
}

func TestScanTornTailIsNoDamage(t *testing.T) {
	first := encoded(7, kindEnd, 1, id(1), "first")
	last := encoded(7, kindEnd, 2, id(2), "last")
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
	one := encoded(7, kindEnd, 1, id(1), "first")
	two := encoded(7, kindEnd, 2, id(2), "second")
	three := encoded(7, kindEnd, 3, id(3), "third")
	for i := range two {
		damaged := bytes.Clone(two)
		damaged[i] ^= 0x55
		seqs, bad, _ := scanned(slices.Concat(one, damaged, three))
		require.Equal(t, []uint64{1, 3}, seqs, "byte %d", i)
		require.Equal(t, []span{{len(one), len(one) + len(two)}}, bad, "byte %d", i)
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
	f.Add(encoded(7, kindStart, 9, id(9), "whole")[:30], make([]byte, 100), encoded(8, kindEnd, 9, id(9), "foreign"))
	f.Add(encoded(7, kindEnd, 5, id(5), "cut off after this")[:50], []byte("\xff"), []byte("\xffSB"))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		one := encoded(7, kindEnd, 1001, id(1), "one")
		two := encoded(7, kindStart, 1002, id(2), "two")
		data := slices.Concat(a, one, b, two, c)
		covered := 0
		var seqs []uint64
		bad, tail := scanFrames(7, data, func(_ int, f frame) {
			seqs = append(seqs, f.seq)
			covered += headerBytes + len(f.payload)
		})
		require.Contains(t, seqs, uint64(1001))
		require.Contains(t, seqs, uint64(1002))
		for _, s := range bad {
			require.Less(t, s.from, s.to)
			covered += s.to - s.from
		}
		require.Equal(t, len(data), covered+tail, "every byte counts once")
	})
}
