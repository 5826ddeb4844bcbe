package openai

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// openingBytes is how much of either end of an opening is looked at: a long one
// need not be read whole to be told from others.
const openingBytes = 4 << 10

// Conversation tells a conversation from others: by the cache key that the
// client names, else by how it begins, up to its first user message, which all
// its requests have in common, and which is what a provider has cached of it.
// It is 0 where there is nothing to go by.
func (r *Request) Conversation() uint64 {
	if r.Kind != catalog.Chat {
		return 0
	}
	for i := range r.parts {
		if string(r.nameOf(&r.parts[i])) == "prompt_cache_key" {
			if v := r.value(&r.parts[i]); isText(v) && len(v) > 2 {
				return digest(v)
			}
		}
	}
	at := r.edits.opening
	if at.to <= at.from {
		return 0
	}
	return digest(r.Body[at.from:at.to])
}

func digest(text []byte) uint64 {
	var sum [sha256.Size]byte
	if len(text) <= 2*openingBytes {
		sum = sha256.Sum256(text)
	} else {
		ends := binary.AppendUvarint(nil, uint64(len(text)))
		ends = append(append(ends, text[:openingBytes]...), text[len(text)-openingBytes:]...)
		sum = sha256.Sum256(ends)
	}
	return binary.BigEndian.Uint64(sum[:]) | 1 // never 0
}
