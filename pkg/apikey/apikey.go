// Package apikey defines the format of API keys: sbx_live_ + 32 random base62 characters + 6
// characters of CRC-32. The package creates keys, checks their format without a lookup, and
// computes their digests. It does not depend on accounts or stores.
package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"hash/crc32"
	"strings"
)

const (
	// Prefix starts every key, so that secret scanners find leaked keys.
	Prefix = "sbx_live_"

	bodyLen     = 32
	checksumLen = 6
	// Len is the length of every key.
	Len = len(Prefix) + bodyLen + checksumLen

	alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	// displayLen is the length of the part that may be displayed. It contains 4 of the 32
	// random characters, enough to tell keys apart.
	displayLen = len(Prefix) + 4
)

// Digest is the SHA-256 of a key. Processes send it to each other instead of the key.
type Digest [sha256.Size]byte

// New returns a new random key.
func New() string {
	var random [64]byte
	for {
		_, _ = rand.Read(random[:]) // never returns an error
		if key, err := FromRandom(random[:]); err == nil {
			return key
		}
	}
}

// FromRandom returns the key that consists of the given random bytes. About 40 bytes are
// enough for almost every key. Error: there are too few bytes for a key.
func FromRandom(random []byte) (string, error) {
	body := make([]byte, 0, Len)
	body = append(body, Prefix...)
	for _, b := range random {
		// 248 is the largest multiple of 62 in a byte. Accepting larger values would
		// make the first characters more likely.
		if b < 248 && len(body) < len(Prefix)+bodyLen {
			body = append(body, alphabet[b%62])
		}
	}
	if len(body) < len(Prefix)+bodyLen {
		return "", errors.New("too few random bytes for a key")
	}
	return string(appendChecksum(body)), nil
}

// IsValid reports whether the key has the right format and checksum. It does no I/O, so
// mistyped keys are rejected without a lookup.
func IsValid(key string) bool {
	if len(key) != Len || !strings.HasPrefix(key, Prefix) {
		return false
	}
	for i := len(Prefix); i < len(key); i++ {
		if strings.IndexByte(alphabet, key[i]) < 0 {
			return false
		}
	}
	var want [Len]byte
	return string(appendChecksum(append(want[:0], key[:Len-checksumLen]...))) == key
}

// DigestOf returns the digest of a key.
func DigestOf(key string) Digest {
	// DigestOf runs for every request. The conversion []byte(key) would allocate memory.
	var buffer [Len]byte
	return sha256.Sum256(append(buffer[:0], key...))
}

// DisplayPrefix returns the part of a key that may be displayed.
func DisplayPrefix(key string) string {
	if len(key) < displayLen {
		return ""
	}
	return key[:displayLen]
}

func appendChecksum(body []byte) []byte {
	sum := crc32.ChecksumIEEE(body)
	var tail [checksumLen]byte
	for i := checksumLen - 1; i >= 0; i-- {
		tail[i] = alphabet[sum%62]
		sum /= 62
	}
	return append(body, tail[:]...)
}
