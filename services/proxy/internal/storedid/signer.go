package storedid

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

const (
	// macLength is the length of a MAC in bytes. 128 bits cannot be guessed.
	macLength = 16
	// minCredential is the length of the shortest credential that signs ids, in bytes. Shorter
	// ones are usually placeholders, such as "none" for self-hosted servers. A client could
	// guess such a key and forge ids of other accounts.
	minCredential = 16
)

// These texts separate what is derived from a credential.
const (
	macPurpose         = "signalbox stored object id v1"
	fingerprintPurpose = "signalbox stored object fingerprint v1"
)

// Fingerprint identifies a credential among those of a provider. The zero value is no
// credential.
type Fingerprint [8]byte

// IsZero reports whether f identifies no credential.
func (f Fingerprint) IsZero() bool { return f == Fingerprint{} }

// Signer issues and checks the ids of objects that one credential of a provider has stored. It is
// safe for concurrent use. A nil Signer issues nothing and accepts nothing.
type Signer struct {
	provider    string
	fingerprint Fingerprint
	key         []byte
}

// NewSigner returns the signer of a provider's credential. It returns nil if the credential is too
// short to be a secret.
func NewSigner(provider, credential string) *Signer {
	if len(credential) < minCredential {
		return nil
	}
	s := &Signer{provider: provider, key: derive(credential, macPurpose)}
	copy(s.fingerprint[:], derive(credential, fingerprintPurpose))
	return s
}

func derive(credential, purpose string) []byte {
	h := hmac.New(sha256.New, []byte(credential))
	h.Write([]byte(purpose))
	return h.Sum(nil)
}

// Wrap returns the id that an account gets for an object of the provider. The same object always
// has the same id. Wrap returns false if the provider's id is too long.
func (s *Signer) Wrap(kind Kind, account, upstreamID string) (string, bool) {
	if s == nil {
		return "", false
	}
	c := Claim{Kind: kind, Provider: s.provider, Fingerprint: s.fingerprint, UpstreamID: upstreamID}
	c.mac = s.computeMAC(account, &c)
	return c.encode()
}

// Accepts reports whether the signer issued the claim to the account.
func (s *Signer) Accepts(account string, c *Claim) bool {
	if s == nil || c.Fingerprint != s.fingerprint || c.Provider != s.provider {
		return false
	}
	mac := s.computeMAC(account, c)
	return hmac.Equal(mac[:], c.mac[:])
}

// HasFingerprint reports whether f identifies the signer's credential.
func (s *Signer) HasFingerprint(f Fingerprint) bool { return s != nil && s.fingerprint == f }

// computeMAC writes the length before each part, so that no two claims have the same input.
func (s *Signer) computeMAC(account string, c *Claim) (mac [macLength]byte) {
	h := hmac.New(sha256.New, s.key)
	var length [4]byte
	for _, part := range []string{account, c.Provider, string(c.Kind), c.UpstreamID} {
		binary.BigEndian.PutUint32(length[:], uint32(len(part))) //nolint:gosec // the parts are short
		h.Write(length[:])
		h.Write([]byte(part))
	}
	copy(mac[:], h.Sum(nil))
	return mac
}
