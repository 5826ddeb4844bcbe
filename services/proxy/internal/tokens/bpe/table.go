package bpe

import (
	"hash/maphash"
	"math"
)

// none is the rank of what is no token: after all others.
const none = math.MaxInt32

// table finds the rank of a token. It has no pointers for the collector to
// follow.
type table struct {
	seed maphash.Seed
	// all has the tokens in the order of their ranks, each after its length; at
	// is where they begin.
	all []byte
	at  []uint32
	// slots are ranks + 1, at their hash or behind it; 0 is free.
	slots []uint32
}

func newTable(all []byte) table {
	t := table{seed: maphash.MakeSeed(), all: all}
	for i := 0; i < len(all); i += 1 + int(all[i]) {
		t.at = append(t.at, uint32(i))
	}
	size := 1
	for size < 2*len(t.at) {
		size *= 2
	}
	t.slots = make([]uint32, size)
	for rank := range t.at {
		slot := t.slot(t.token(uint32(rank)))
		for t.slots[slot] != 0 {
			slot = (slot + 1) % len(t.slots)
		}
		t.slots[slot] = uint32(rank) + 1
	}
	return t
}

func (t *table) token(rank uint32) []byte {
	at := t.at[rank]
	return t.all[at+1 : at+1+uint32(t.all[at])]
}

func (t *table) slot(token []byte) int {
	return int(maphash.Bytes(t.seed, token) % uint64(len(t.slots)))
}

func (t *table) rank(token []byte) int32 {
	for slot := t.slot(token); t.slots[slot] != 0; slot = (slot + 1) % len(t.slots) {
		if rank := t.slots[slot] - 1; string(t.token(rank)) == string(token) {
			return int32(rank)
		}
	}
	return none
}
