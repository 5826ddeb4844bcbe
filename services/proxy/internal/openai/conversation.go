package openai

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// hashedEndBytes is how much of each end of a long text is hashed. This is enough
// to distinguish conversations.
const hashedEndBytes = 4 << 10

// ConversationID returns a hash that identifies the conversation. It uses the
// client's prompt_cache_key, else everything up to the first user message. All
// requests of a conversation share that beginning, and providers cache it. The
// result is 0 if there is neither.
func (r *Request) ConversationID() uint64 {
	if r.Kind != catalog.Chat {
		return 0
	}
	for i := range r.members {
		if string(r.memberName(&r.members[i])) == "prompt_cache_key" {
			if v := r.memberValue(&r.members[i]); isString(v) && len(v) > 2 {
				return hashText(v)
			}
		}
	}
	at := r.edits.opening
	if at.to <= at.from {
		return 0
	}
	return hashText(r.Body[at.from:at.to])
}

// hashText returns a hash that is never 0. Of a long text it reads only the ends
// and the length.
func hashText(text []byte) uint64 {
	var sum [sha256.Size]byte
	if len(text) <= 2*hashedEndBytes {
		sum = sha256.Sum256(text)
	} else {
		ends := binary.AppendUvarint(nil, uint64(len(text)))
		ends = append(append(ends, text[:hashedEndBytes]...), text[len(text)-hashedEndBytes:]...)
		sum = sha256.Sum256(ends)
	}
	return binary.BigEndian.Uint64(sum[:]) | 1 // never 0
}
