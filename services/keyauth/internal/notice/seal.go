package notice

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// Sealer encrypts the signing secrets of webhooks.
type Sealer struct{ cipher cipher.AEAD }

// NewSealer returns a Sealer whose key is derived from the pepper.
func NewSealer(pepper []byte) (*Sealer, error) {
	key, err := hkdf.Key(sha256.New, pepper, nil, "signalbox webhook secret", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("notice: derive encryption key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("notice: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("notice: %w", err)
	}
	return &Sealer{aead}, nil
}

// Seal encrypts the secret for one account. Open fails if the result is copied into the row of another account.
func (s *Sealer) Seal(accountID, secret string) []byte {
	return s.cipher.Seal(nil, nil, []byte(secret), []byte(accountID))
}

// Open decrypts a sealed secret. It returns "" for nil.
func (s *Sealer) Open(accountID string, sealed []byte) (string, error) {
	if len(sealed) == 0 {
		return "", nil
	}
	secret, err := s.cipher.Open(nil, nil, sealed, []byte(accountID))
	if err != nil {
		return "", errors.New("the signing secret cannot be decrypted; create a new one")
	}
	return string(secret), nil
}
