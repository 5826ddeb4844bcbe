package account

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// newSealer returns the cipher for secrets that must be decrypted later. Its key is
// derived from the pepper.
func newSealer(pepper []byte) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, pepper, nil, "signalbox webhook secret", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("account: derive encryption key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("account: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// seal encrypts the secret for one account. unseal fails if the result is copied into the row of another account.
func (s *Service) seal(accountID, secret string) []byte {
	return s.sealer.Seal(nil, nil, []byte(secret), []byte(accountID))
}

func (s *Service) unseal(a Account) (string, error) {
	if !a.WebhookSigned() {
		return "", nil
	}
	secret, err := s.sealer.Open(nil, nil, a.WebhookSecret, []byte(a.ID))
	if err != nil {
		return "", errors.New("the signing secret cannot be decrypted; create a new one")
	}
	return string(secret), nil
}
