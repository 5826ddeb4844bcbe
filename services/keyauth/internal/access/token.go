package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/google/uuid"
)

// NewID returns a new id. Later ids sort after earlier ones.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Now returns the time with the precision of the store. Otherwise a value returned
// right after a write would differ from the value read later.
func Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// tokenLen is the number of random bytes in a token.
const tokenLen = 32

// NewToken returns a token with 256 random bits.
func NewToken() string {
	b := make([]byte, tokenLen)
	_, _ = rand.Read(b) // never returns an error: it crashes the process instead
	return base64.RawURLEncoding.EncodeToString(b)
}

// HashToken returns the hash under which a token is stored. It uses no salt, because a token has 256 random bits.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
