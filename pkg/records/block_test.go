package records

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/stretchr/testify/require"
)

func someEntries() []Entry {
	return []Entry{
		{Producer: "a", Seq: 1, Record: []byte{}},
		{Producer: "a", Seq: 2, Record: bytes.Repeat([]byte("again "), 300)},
		{Producer: "a", Seq: 1<<64 - 1, Record: []byte{0, 255}},
	}
}

func blockOf(entries []Entry, compress bool) []byte {
	if compress {
		return appendCompressed(nil, appendRecords(nil, entries))
	}
	return appendPlain(nil, entries)
}

func TestABlockComesBackAsItWas(t *testing.T) {
	for _, compress := range []bool{false, true} {
		block := blockOf(someEntries(), compress)
		got, err := openBlock("a", block)
		require.NoError(t, err)
		require.Equal(t, someEntries(), got)
		require.Equal(t, compress, len(block) < 1000)
	}
}

// Whatever happens to a block on its way, what is read of it is what was
// written or nothing.
func TestADamagedBlockIsFound(t *testing.T) {
	for _, compress := range []bool{false, true} {
		block := blockOf(someEntries(), compress)
		for i := range block {
			for bit := range 8 {
				bad := bytes.Clone(block)
				bad[i] ^= 1 << bit
				if got, err := openBlock("a", bad); err == nil {
					require.Equal(t, someEntries(), got, "byte %d, bit %d", i, bit)
				}
			}
			_, err := openBlock("a", block[:i])
			require.Error(t, err, "cut at %d", i)
		}
	}
}

// sealed makes a block with a right checksum, as only somebody can who means to.
func sealed(kind byte, raw, body []byte) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte{kind}, crc32.Checksum(raw, castagnoli)), body...)
}

func TestABlockIsBounded(t *testing.T) {
	big := appendRecords(nil, []Entry{{Seq: 1, Record: make([]byte, maxBytes)}})
	_, err := openBlock("a", sealed(blockCompressed, big, s2.Encode(nil, big)))
	require.ErrorContains(t, err, "damaged block", "a few bytes that would become many")

	claims := binary.AppendUvarint(nil, 1<<40)
	_, err = openBlock("a", sealed(blockCompressed, nil, claims))
	require.ErrorContains(t, err, "damaged block")

	empty := make([]byte, 2*(maxRecords+1)) // numbers and lengths, all 0
	_, err = openBlock("a", sealed(blockPlain, empty, empty))
	require.ErrorContains(t, err, "damaged block", "more records than anybody writes")

	long := appendRecords(nil, []Entry{{Seq: 1, Record: []byte("abc")}})[:4]
	_, err = openBlock("a", sealed(blockPlain, long, long))
	require.ErrorContains(t, err, "damaged block", "longer than what is there")
}

func FuzzOpenBlock(f *testing.F) {
	for _, compress := range []bool{false, true} {
		f.Add(blockOf(someEntries(), compress))
	}
	f.Fuzz(func(t *testing.T, block []byte) {
		entries, err := openBlock("a", block)
		if err != nil {
			return
		}
		// A block has a checksum, so what can be opened was written; writing it
		// again gives the same records.
		again, err := openBlock("a", blockOf(entries, true))
		require.NoError(t, err)
		require.Equal(t, entries, again)
	})
}

// Blocks are cut where a producer ends, and where they are full.
func TestBlocksKeepTheOrder(t *testing.T) {
	noise := rand.New(rand.NewPCG(1, 2))
	var entries []Entry
	for i := range 3000 {
		size := noise.IntN(2000)
		if i%100 == 0 {
			size = noise.IntN(2 * blockBytes)
		}
		record := bytes.Repeat([]byte{byte(i)}, size)
		entries = append(entries, Entry{Producer: string(rune('a' + i/700)), Seq: uint64(i), Record: record})
	}
	for _, long := range []bool{false, true} {
		p := &pack{}
		for range 2 { // with memory that was used before
			var got []Entry
			for _, b := range p.blocks(entries, long) {
				opened, err := openBlock(b.producer, b.bytes)
				require.NoError(t, err)
				require.LessOrEqual(t, len(opened), blockRecords)
				got = append(got, opened...)
			}
			require.Equal(t, entries, got)
		}
	}
}
