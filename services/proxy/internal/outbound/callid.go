package outbound

import (
	"bytes"
	"crypto/sha256"

	"github.com/signalbox/signalbox/pkg/requestbody"
)

// maxCallID is the maximum length of an id in bytes. StripSignature hashes longer ids.
const maxCallID = 40

// StripSignature removes the signature from the id of a tool call. A signature is
// meant for one vendor and can be longer than the ids that other vendors accept.
// Equal ids stay equal, so that calls and their results still match. An id without
// a signature is returned unchanged.
func StripSignature(id []byte) []byte {
	bare, sign, ok := bytes.Cut(id, []byte(requestbody.SignatureSeparator))
	if !ok || len(sign) == 0 {
		return id
	}
	if len(bare) == 0 || len(bare) > maxCallID {
		return hashID(id, sha256.Size)
	}
	return bare
}

// hashID derives n letters and digits from an id. n is at most 32.
func hashID(id []byte, n int) []byte {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256(id)
	short := make([]byte, n)
	for i, b := range sum[:n] {
		short[i] = letters[int(b)%len(letters)]
	}
	return short
}
