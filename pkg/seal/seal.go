// Package seal encrypts secrets that a service must be able to read again, such as the signing
// secrets of webhooks. The key is derived from a secret outside of the database. Each value is
// bound to its owner, so that it cannot be used in the row of another one.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// ErrSealed means that a secret was sealed with another key or for another owner.
var ErrSealed = errors.New("the secret cannot be decrypted; create a new one")

// Sealer encrypts secrets. It is safe for concurrent use.
type Sealer struct{ cipher cipher.AEAD }

// New returns a Sealer whose key is derived from the secret for one purpose.
func New(secret []byte, purpose string) (*Sealer, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, purpose, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("seal: derive encryption key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return &Sealer{aead}, nil
}

// Seal encrypts a secret of an owner. Open fails if the result is used for another owner.
func (s *Sealer) Seal(owner, secret string) []byte {
	return s.cipher.Seal(nil, nil, []byte(secret), []byte(owner))
}

// Open decrypts a sealed secret. It returns "" for nil.
func (s *Sealer) Open(owner string, sealed []byte) (string, error) {
	if len(sealed) == 0 {
		return "", nil
	}
	secret, err := s.cipher.Open(nil, nil, sealed, []byte(owner))
	if err != nil {
		return "", ErrSealed
	}
	return string(secret), nil
}
