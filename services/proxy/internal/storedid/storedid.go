// Package storedid wraps the ids of objects that a provider stores, such as responses.
//
// All accounts share the credentials of a provider, so the provider would return the object of
// one account to any other. Clients therefore never get an id that they can use at the provider.
// They get a wrapper, which a Signer issues and checks:
//
//	resp_ base64url( version | fingerprint | MAC | length of the provider's name | name | id )
//
// The MAC covers the account, the provider, the kind of the object and the provider's id. Its key
// is derived from the credential that stored the object. Every proxy that has the credential can
// check the wrapper, also after a restart, and no other secret is needed. When the credential is
// removed, its wrappers become invalid.
//
// The fingerprint tells which of the provider's credentials issued the wrapper, whatever their
// names and their order. It does not reveal the credential.
package storedid

import (
	"encoding/base64"
	"strings"
)

// Kind is a kind of stored objects. Its value starts every id of the kind.
type Kind string

// Response is a stored response of the Responses protocol.
const Response Kind = "resp_"

const (
	version1 = 1
	// maxProvider and maxUpstreamID limit the length of a wrapper, in bytes.
	maxProvider   = 128
	maxUpstreamID = 256
	fixedLength   = 1 + len(Fingerprint{}) + macLength + 1
)

// MaxLength is the length of the longest wrapper in bytes.
const MaxLength = len(Response) + ((fixedLength+maxProvider+maxUpstreamID)*4+2)/3

// encoding is strict, so that no two texts are the same wrapper.
var encoding = base64.RawURLEncoding.Strict()

// Claim is the content of a wrapper. It proves nothing until a Signer has checked it.
type Claim struct {
	Kind     Kind
	Provider string
	// Fingerprint identifies the credential.
	Fingerprint Fingerprint
	// UpstreamID is the provider's own id.
	UpstreamID string
	mac        [macLength]byte
}

// Parse reads a wrapper of the given kind. It does not check the MAC.
func Parse(kind Kind, text string) (Claim, bool) {
	encoded, ok := strings.CutPrefix(text, string(kind))
	if !ok || len(text) > MaxLength || strings.ContainsAny(encoded, "\r\n") { // the decoder would skip line breaks
		return Claim{}, false
	}
	raw, err := encoding.DecodeString(encoded)
	if err != nil || len(raw) < fixedLength || raw[0] != version1 {
		return Claim{}, false
	}
	c := Claim{Kind: kind}
	rest := raw[1:]
	rest = rest[copy(c.Fingerprint[:], rest):]
	rest = rest[copy(c.mac[:], rest):]
	length := int(rest[0])
	rest = rest[1:]
	if length > maxProvider || len(rest) <= length || len(rest)-length > maxUpstreamID {
		return Claim{}, false
	}
	c.Provider, c.UpstreamID = string(rest[:length]), string(rest[length:])
	return c, true
}

// encode returns the wrapper. It returns false if a part is too long or empty.
func (c *Claim) encode() (string, bool) {
	if len(c.Provider) > maxProvider || c.UpstreamID == "" || len(c.UpstreamID) > maxUpstreamID {
		return "", false
	}
	raw := make([]byte, 0, fixedLength+len(c.Provider)+len(c.UpstreamID))
	raw = append(raw, version1)
	raw = append(raw, c.Fingerprint[:]...)
	raw = append(raw, c.mac[:]...)
	raw = append(raw, byte(len(c.Provider)))
	raw = append(append(raw, c.Provider...), c.UpstreamID...)
	return string(c.Kind) + encoding.EncodeToString(raw), true
}
