package bpe

import (
	"hash/maphash"
	"math"
)

// noRank is the rank of bytes that are not a token. It sorts after all ranks.
const noRank = math.MaxInt32

// rankTable finds the rank of a token. Tokens with a lower rank are merged first. The
// table has no pointer per token, so that the garbage collector has little to scan.
type rankTable struct {
	seed maphash.Seed
	// packed holds the tokens in the order of their ranks. The length of each token is
	// stored before the token. offsets holds the offset of each token's length.
	packed  []byte
	offsets []uint32
	// slots is an open-addressing hash table. A slot contains rank + 1, or 0 if free.
	slots []uint32
}

func newRankTable(all []byte) rankTable {
	t := rankTable{seed: maphash.MakeSeed(), packed: all}
	for i := 0; i < len(all); i += 1 + int(all[i]) {
		t.offsets = append(t.offsets, uint32(i))
	}
	size := 1
	for size < 2*len(t.offsets) {
		size *= 2
	}
	t.slots = make([]uint32, size)
	for rank := range t.offsets {
		slot := t.hashSlot(t.tokenOfRank(uint32(rank)))
		for t.slots[slot] != 0 {
			slot = (slot + 1) % len(t.slots)
		}
		t.slots[slot] = uint32(rank) + 1
	}
	return t
}

func (t *rankTable) tokenOfRank(rank uint32) []byte {
	at := t.offsets[rank]
	return t.packed[at+1 : at+1+uint32(t.packed[at])]
}

func (t *rankTable) hashSlot(token []byte) int {
	return int(maphash.Bytes(t.seed, token) % uint64(len(t.slots)))
}

func (t *rankTable) rankOf(token []byte) int32 {
	for slot := t.hashSlot(token); t.slots[slot] != 0; slot = (slot + 1) % len(t.slots) {
		if rank := t.slots[slot] - 1; string(t.tokenOfRank(rank)) == string(token) {
			return int32(rank)
		}
	}
	return noRank
}
