package requestbody

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// hashedEndBytes is how many bytes at each end of a long text are hashed. They are
// enough to distinguish conversations.
const hashedEndBytes = 4 << 10

// ConversationID returns a hash that identifies the conversation. It hashes the client's
// prompt_cache_key. Without such a key it hashes the messages up to the first user message.
// All requests of a conversation share this beginning, and providers cache it. The
// result is 0 for embeddings, and for a chat with neither a key nor an opening.
func (r *Request) ConversationID() uint64 {
	if r.Kind != catalog.Chat {
		return 0
	}
	if r.Protocol == Messages {
		return r.OpeningID()
	}
	if m := r.FindMember("prompt_cache_key"); m != nil {
		if v := r.MemberValue(m); jsonscan.IsString(v) && len(v) > 2 {
			return hashText(v)
		}
	}
	return r.OpeningID()
}

// OpeningID returns a hash of the messages up to the first user message. Unlike
// ConversationID, it ignores the client's prompt_cache_key. The result is 0 without a user
// message, and for a request that continues a stored response: its first message is not the
// start of the conversation, and other conversations may go on with the same text.
func (r *Request) OpeningID() uint64 {
	if r.Protocol == Messages {
		return r.hashAnthropicOpening()
	}
	at := r.opening
	if at.to <= at.from || r.PreviousResponseID != "" {
		return 0
	}
	return hashText(r.Body[at.from:at.to])
}

// hashText returns a hash that is never 0. For a long text it hashes only the length and both ends.
// Two KB take 0.6 us, with SHA-256 alone 10 us. The result of xxhash is hashed once more, because
// the ids of sessions are stored, and xxhash alone can be reversed for short texts. A client that
// constructs two texts with the same hash mixes up conversations of its own account only.
func hashText(text []byte) uint64 {
	start, end := text, []byte(nil)
	if len(text) > 2*hashedEndBytes {
		start, end = text[:hashedEndBytes], text[len(text)-hashedEndBytes:]
	}
	var parts [24]byte
	binary.BigEndian.PutUint64(parts[:], uint64(len(text)))
	binary.BigEndian.PutUint64(parts[8:], xxhash.Sum64(start))
	binary.BigEndian.PutUint64(parts[16:], xxhash.Sum64(end))
	sum := sha256.Sum256(parts[:])
	return binary.BigEndian.Uint64(sum[:]) | 1
}
