// Package session identifies the session of a request and describes what the proxy knows of a
// session. A session is the requests of one piece of work of one agent, or of one
// conversation. A turn is a request of a session that is not a side call. A side call is a
// small request beside the work, such as the request for a title.
//
// Identify finds the ids in headers and body. IsSideCall recognises side calls. A State holds
// the last candidate of a session, what providers have cached of it, and its totals;
// State.After computes the state after a request, and State.Question returns the part that
// the decision needs. The package has no memory of its own: package sessionkeeper keeps the
// states. Package api uses both.
//
// Session ids belong to one account. The Key of a session contains the account, so that an id
// of another account finds nothing.
package session

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// MaxValue is the maximum length in bytes of a session id and of the name of an end user.
const MaxValue = 128

// Key identifies a session in all accounts.
type Key [16]byte

// String returns the key in hexadecimal digits.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// hashMark begins a value that Hash returned.
const hashMark = "sha256-"

// Hash returns a value that identifies a text within an account. Equal texts of an account have
// equal hashes. The hashes of two accounts differ.
func Hash(account, text string) string { return hashMark + hashKey(account, text).String() }

func hashKey[T string | []byte](account string, text T) Key {
	var scratch [256]byte
	b := append(append(append(scratch[:0], account...), 0), text...)
	sum := sha256.Sum256(b)
	return Key(sum[:len(Key{})])
}

// hashLength is the length of a value that Hash returned.
const hashLength = len(hashMark) + 2*len(Key{})

// KeyOf returns the key of a session. The id may also be the Hash of the id, which records
// contain if the id must not be stored. The account is part of the key in both cases, so that
// a hash of another account finds nothing.
func KeyOf(account, id string) Key {
	if isHash(id) {
		return hashKey(account, id)
	}
	var hash [hashLength]byte
	sum := hashKey(account, id)
	hex.Encode(hash[copy(hash[:], hashMark):], sum[:])
	return hashKey(account, hash[:])
}

func isHash(text string) bool {
	digits, ok := strings.CutPrefix(text, hashMark)
	return ok && len(text) == hashLength && strings.Trim(digits, "0123456789abcdef") == ""
}

// Bound returns the text if it has at most MaxValue bytes of printable ASCII, and its Hash
// otherwise. It removes spaces at both ends first.
func Bound(account, text string) string {
	text = strings.TrimSpace(text)
	if len(text) > MaxValue || !isPrintable(text) {
		return Hash(account, text)
	}
	return text
}

func isPrintable(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
