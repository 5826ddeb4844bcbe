// Package apikey is the form of an API key: sbx_live_ + 32 random base62
// characters + 6 characters of CRC-32. It makes keys, checks their form
// without asking anybody, and computes the digest by which they are known. It
// knows nothing of accounts or stores.
package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"strings"
)

const (
	// Prefix begins every key, so that secret scanners find leaked ones.
	Prefix = "sbx_live_"

	bodyLen = 32
	sumLen  = 6
	// Len is the length of every key.
	Len = len(Prefix) + bodyLen + sumLen

	alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	// shownLen is how much of a key may be shown: enough to tell keys apart,
	// 4 of 32 random characters.
	shownLen = len(Prefix) + 4
)

// Digest is what leaves the process instead of the key.
type Digest [sha256.Size]byte

// New makes a key from the system's randomness.
func New() string {
	body := make([]byte, 0, Len)
	body = append(body, Prefix...)
	var random [64]byte
	for len(body) < len(Prefix)+bodyLen {
		_, _ = rand.Read(random[:]) // never fails: it ends the process instead
		for _, b := range random {
			// 248 is the largest multiple of 62 in a byte: others would favour
			// the first characters.
			if b < 248 && len(body) < len(Prefix)+bodyLen {
				body = append(body, alphabet[b%62])
			}
		}
	}
	return string(appendSum(body))
}

// Valid reports whether key has the right form and check sum. It needs no
// I/O, so that a mistyped key costs nothing.
func Valid(key string) bool {
	if len(key) != Len || !strings.HasPrefix(key, Prefix) {
		return false
	}
	for i := len(Prefix); i < len(key); i++ {
		if strings.IndexByte(alphabet, key[i]) < 0 {
			return false
		}
	}
	var want [Len]byte
	return string(appendSum(append(want[:0], key[:Len-sumLen]...))) == key
}

// Sum is the digest of a key.
func Sum(key string) Digest {
	// Every request comes here, and a plain conversion would be an allocation.
	var room [Len]byte
	return sha256.Sum256(append(room[:0], key...))
}

// Shown is the part of a key that may be displayed.
func Shown(key string) string {
	if len(key) < shownLen {
		return ""
	}
	return key[:shownLen]
}

func appendSum(body []byte) []byte {
	sum := crc32.ChecksumIEEE(body)
	var tail [sumLen]byte
	for i := sumLen - 1; i >= 0; i-- {
		tail[i] = alphabet[sum%62]
		sum /= 62
	}
	return append(body, tail[:]...)
}
