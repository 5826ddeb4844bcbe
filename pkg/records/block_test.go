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
		return appendCompressedBlock(nil, appendRecords(nil, entries))
	}
	return appendPlainBlock(nil, entries)
}

func TestABlockComesBackAsItWas(t *testing.T) {
	for _, compress := range []bool{false, true} {
		block := blockOf(someEntries(), compress)
		got, err := decodeBlock("a", block)
		require.NoError(t, err)
		require.Equal(t, someEntries(), got)
		require.Equal(t, compress, len(block) < 1000)
	}
}

// A block that changes in transit decodes to what was written or to an error.
func TestADamagedBlockIsFound(t *testing.T) {
	for _, compress := range []bool{false, true} {
		block := blockOf(someEntries(), compress)
		for i := range block {
			for bit := range 8 {
				bad := bytes.Clone(block)
				bad[i] ^= 1 << bit
				if got, err := decodeBlock("a", bad); err == nil {
					require.Equal(t, someEntries(), got, "byte %d, bit %d", i, bit)
				}
			}
			_, err := decodeBlock("a", block[:i])
			require.Error(t, err, "cut at %d", i)
		}
	}
}

// sealed makes a block with a valid checksum, as an attacker could.
func sealed(kind byte, raw, body []byte) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte{kind}, crc32.Checksum(raw, castagnoli)), body...)
}

func TestABlockIsBounded(t *testing.T) {
	big := appendRecords(nil, []Entry{{Seq: 1, Record: make([]byte, maxDecodedBytes)}})
	_, err := decodeBlock("a", sealed(blockCompressed, big, s2.Encode(nil, big)))
	require.ErrorContains(t, err, "damaged block", "a few bytes that would become many")
	require.NotContains(t, err.Error(), "%!w", "no error is wrapped")

	claims := binary.AppendUvarint(nil, 1<<40)
	_, err = decodeBlock("a", sealed(blockCompressed, nil, claims))
	require.ErrorContains(t, err, "damaged block")

	empty := make([]byte, 2*(maxDecodedRecords+1)) // numbers and lengths, all 0
	_, err = decodeBlock("a", sealed(blockPlain, empty, empty))
	require.ErrorContains(t, err, "damaged block", "more records than anybody writes")

	long := appendRecords(nil, []Entry{{Seq: 1, Record: []byte("abc")}})[:4]
	_, err = decodeBlock("a", sealed(blockPlain, long, long))
	require.ErrorContains(t, err, "damaged block", "longer than what is there")
}

func FuzzOpenBlock(f *testing.F) {
	for _, compress := range []bool{false, true} {
		f.Add(blockOf(someEntries(), compress))
	}
	f.Fuzz(func(t *testing.T, block []byte) {
		entries, err := decodeBlock("a", block)
		if err != nil {
			return
		}
		// A block has a checksum, so a block that decodes was written. Writing it again
		// gives the same records.
		again, err := decodeBlock("a", blockOf(entries, true))
		require.NoError(t, err)
		require.Equal(t, entries, again)
	})
}

// A block ends where the producer changes or the block is full.
func TestBlocksKeepTheOrder(t *testing.T) {
	noise := rand.New(rand.NewPCG(1, 2))
	var entries []Entry
	for i := range 3000 {
		size := noise.IntN(2000)
		if i%100 == 0 {
			size = noise.IntN(2 * maxBlockBytes)
		}
		record := bytes.Repeat([]byte{byte(i)}, size)
		entries = append(entries, Entry{Producer: string(rune('a' + i/700)), Seq: uint64(i), Record: record})
	}
	for _, long := range []bool{false, true} {
		p := &blockBuilder{}
		for range 2 { // with memory that was used before
			var got []Entry
			for _, b := range p.buildBlocks(entries, long) {
				opened, err := decodeBlock(b.producer, b.bytes)
				require.NoError(t, err)
				require.LessOrEqual(t, len(opened), maxBlockRecords)
				got = append(got, opened...)
			}
			require.Equal(t, entries, got)
		}
	}
}
