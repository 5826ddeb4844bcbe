package account

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

const (
	hashTime    = 1
	hashMemory  = 46 << 10 // KiB
	hashThreads = 1
	hashLen     = 32
	saltLen     = 16

	// hashesAtOnce bounds memory: each takes hashMemory.
	hashesAtOnce = 2
	// hashWait bounds the wait itself, on a machine that is slower.
	hashWait = 5 * time.Second
	// hashRetry is when a queue that is full has moved on.
	hashRetry = 2 * time.Second
)

// hasher hashes passwords with argon2id, few at a time.
type hasher struct {
	running chan struct{}
	waiting queue
	// dummy is compared for users who do not exist, so that they take as long.
	dummy string
}

func newHasher() *hasher {
	return &hasher{
		running: make(chan struct{}, hashesAtOnce),
		waiting: queue{by: map[string]int{}},
		dummy:   encodeHash(randomBytes(saltLen), randomBytes(hashLen)),
	}
}

// hash returns a PHC string. It waits for its turn.
func (h *hasher) hash(ctx context.Context, l lane, password string) (string, error) {
	salt := randomBytes(saltLen)
	sum, err := h.sum(ctx, l, password, salt)
	if err != nil {
		return "", err
	}
	return encodeHash(salt, sum), nil
}

// matches reports whether encoded is the hash of password. It waits for its
// turn.
func (h *hasher) matches(ctx context.Context, l lane, encoded, password string) (bool, error) {
	salt, want, err := decodeHash(encoded)
	if err != nil {
		return false, err
	}
	sum, err := h.sum(ctx, l, password, salt)
	return err == nil && subtle.ConstantTimeCompare(sum, want) == 1, err
}

func (h *hasher) sum(ctx context.Context, l lane, password string, salt []byte) ([]byte, error) {
	if err := h.waiting.enter(l); err != nil {
		return nil, err
	}
	defer h.waiting.leave(l)
	patience := time.NewTimer(hashWait)
	defer patience.Stop()
	select {
	case h.running <- struct{}{}:
		defer func() { <-h.running }()
	case <-patience.C:
		return nil, overloaded()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return argon2.IDKey([]byte(password), salt, hashTime, hashMemory, hashThreads, hashLen), nil
}

func overloaded() error {
	return apperr.New(apperr.GatewayOverloaded, "too many sign-ins at the moment").After(hashRetry)
}

var hashHead = fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, hashMemory, hashTime, hashThreads)

func encodeHash(salt, sum []byte) string {
	return hashHead + base64.RawStdEncoding.EncodeToString(salt) + "$" + base64.RawStdEncoding.EncodeToString(sum)
}

// decodeHash knows one set of parameters; a second one will be told apart by
// the head.
func decodeHash(encoded string) (salt, sum []byte, err error) {
	rest, ok := strings.CutPrefix(encoded, hashHead)
	if !ok {
		return nil, nil, errors.New("a stored password hash has unknown parameters")
	}
	first, second, _ := strings.Cut(rest, "$")
	salt, err = base64.RawStdEncoding.DecodeString(first)
	if err != nil {
		return nil, nil, fmt.Errorf("a stored password hash is damaged: %w", err)
	}
	sum, err = base64.RawStdEncoding.DecodeString(second)
	if err != nil || len(sum) != hashLen {
		return nil, nil, errors.New("a stored password hash is damaged")
	}
	return salt, sum, nil
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: it ends the process instead
	return b
}
