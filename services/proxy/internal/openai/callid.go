package openai

import (
	"bytes"
	"crypto/sha256"
)

// SignatureMark separates, in the id of a tool call, the id from a signature
// that its vendor wants back with it. Clients give ids back as they got them.
const SignatureMark = "__thought__"

// maxCallID is as long an id as every vendor takes.
const maxCallID = 40

// BareID is the id of a call without a signature in it, which is for one vendor
// alone and may be longer than others take. The same id becomes the same, so
// that calls and their results still meet. An id without one is left as it is.
func BareID(id []byte) []byte {
	bare, sign, ok := bytes.Cut(id, []byte(SignatureMark))
	if !ok || len(sign) == 0 {
		return id
	}
	if len(bare) == 0 || len(bare) > maxCallID {
		return shortID(id, sha256.Size)
	}
	return bare
}

// shortID is n letters and digits, at most 32, that stand for an id.
func shortID(id []byte, n int) []byte {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256(id)
	short := make([]byte, n)
	for i, b := range sum[:n] {
		short[i] = letters[int(b)%len(letters)]
	}
	return short
}

// signed tells whether the ids of calls may have signatures in them.
func (r *Request) signed() bool {
	return r.shape&(hasCalls|hasOthers) != 0 && bytes.Contains(r.Body, []byte(SignatureMark))
}
