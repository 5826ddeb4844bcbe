package account

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// newSealer is for secrets that must be known again, under a key that only
// whoever has the pepper can derive.
func newSealer(pepper []byte) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, pepper, nil, "signalbox webhook secret", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("account: derive a key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("account: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// seal binds the secret to its account: in another's row it cannot be opened.
func (s *Service) seal(accountID, secret string) []byte {
	return s.sealer.Seal(nil, nil, []byte(secret), []byte(accountID))
}

func (s *Service) unseal(a Account) (string, error) {
	if !a.WebhookSigned() {
		return "", nil
	}
	secret, err := s.sealer.Open(nil, nil, a.WebhookSecret, []byte(a.ID))
	if err != nil {
		return "", errors.New("the secret that signs cannot be read; rotate it")
	}
	return string(secret), nil
}
