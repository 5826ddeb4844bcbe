package notice

import (
	"errors"

	"github.com/signalbox/signalbox/pkg/seal"
)

// Sealer encrypts the signing secrets of webhooks.
type Sealer struct{ *seal.Sealer }

// NewSealer returns a Sealer whose key is derived from the pepper.
func NewSealer(pepper []byte) (*Sealer, error) {
	s, err := seal.New(pepper, "signalbox webhook secret")
	return &Sealer{s}, err
}

// Open decrypts a sealed secret. It returns "" for nil.
func (s *Sealer) Open(accountID string, sealed []byte) (string, error) {
	secret, err := s.Sealer.Open(accountID, sealed)
	if err != nil {
		return "", errors.New("the signing secret cannot be decrypted; create a new one")
	}
	return secret, nil
}
