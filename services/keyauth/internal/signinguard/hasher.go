package signinguard

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// HashMemory is the memory of a password hash in KiB.
const HashMemory = 46 << 10

const (
	hashTime    = 1
	hashThreads = 1
	hashLen     = 32
	saltLen     = 16

	// maxConcurrentHashes limits memory, because each hash uses HashMemory.
	maxConcurrentHashes = 2
	// hashWait limits how long a caller waits for a free slot.
	hashWait = 5 * time.Second
	// hashRetryAfter is the Retry-After value of the errors for too many waiting hashes.
	hashRetryAfter = 2 * time.Second
)

// Hasher hashes passwords with argon2id and limits concurrent hashes.
type Hasher struct {
	running chan struct{}
	waiting hashQueue
	memory  uint32 // KiB
	// prefix is the start of every hash with these parameters.
	prefix string
	// Dummy is compared with the password if the user is unknown. So a sign-in of an
	// unknown user takes as long as any other.
	Dummy string
}

// NewHasher returns a Hasher with an empty queue. Its hashes use memory KiB, and it accepts no others.
func NewHasher(memory uint32) *Hasher {
	h := &Hasher{
		running: make(chan struct{}, maxConcurrentHashes),
		waiting: hashQueue{byRequester: map[string]int{}},
		memory:  memory,
		prefix:  fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, memory, hashTime, hashThreads),
	}
	h.Dummy = h.encode(randomBytes(saltLen), randomBytes(hashLen))
	return h
}

// Hash waits for a slot and returns the hash as a PHC string, which includes the salt and the parameters.
func (h *Hasher) Hash(ctx context.Context, r Requester, password string) (string, error) {
	salt := randomBytes(saltLen)
	sum, err := h.deriveKey(ctx, r, password, salt)
	if err != nil {
		return "", err
	}
	return h.encode(salt, sum), nil
}

// Matches waits for a slot and reports whether encoded is the hash of password.
func (h *Hasher) Matches(ctx context.Context, r Requester, encoded, password string) (bool, error) {
	salt, want, err := h.decode(encoded)
	if err != nil {
		return false, err
	}
	sum, err := h.deriveKey(ctx, r, password, salt)
	return err == nil && subtle.ConstantTimeCompare(sum, want) == 1, err
}

func (h *Hasher) deriveKey(ctx context.Context, r Requester, password string, salt []byte) ([]byte, error) {
	if err := h.waiting.reserveSlot(r); err != nil {
		return nil, err
	}
	defer h.waiting.releaseSlot(r)
	timeout := time.NewTimer(hashWait)
	defer timeout.Stop()
	select {
	case h.running <- struct{}{}:
		defer func() { <-h.running }()
	case <-timeout.C:
		return nil, overloadedError()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return argon2.IDKey([]byte(password), salt, hashTime, h.memory, hashThreads, hashLen), nil
}

func overloadedError() error {
	return apperr.New(apperr.GatewayOverloaded, "too many people are signing in; try again in a moment").WithRetryAfter(hashRetryAfter)
}

func (h *Hasher) encode(salt, sum []byte) string {
	return h.prefix + base64.RawStdEncoding.EncodeToString(salt) + "$" + base64.RawStdEncoding.EncodeToString(sum)
}

// decode accepts only hashes with the parameters of h.
func (h *Hasher) decode(encoded string) (salt, sum []byte, err error) {
	rest, ok := strings.CutPrefix(encoded, h.prefix)
	if !ok {
		return nil, nil, errors.New("decode password hash: unknown parameters")
	}
	first, second, _ := strings.Cut(rest, "$")
	salt, err = base64.RawStdEncoding.DecodeString(first)
	if err != nil {
		return nil, nil, fmt.Errorf("decode password hash: %w", err)
	}
	sum, err = base64.RawStdEncoding.DecodeString(second)
	if err != nil || len(sum) != hashLen {
		return nil, nil, errors.New("decode password hash: damaged")
	}
	return salt, sum, nil
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never returns an error: it crashes the process instead
	return b
}
