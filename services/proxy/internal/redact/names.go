package redact

import (
	"bytes"
	"slices"
)

// nameClass describes what a name implies about its value.
type nameClass int

const (
	classPlain nameClass = iota
	// classSecret is for names such as "password". The value is redacted unless it is a
	// placeholder. In free text, the value must also look like a secret.
	classSecret
	// classToken is for "token", which also means a part of a text. The value is redacted
	// only if it looks like a credential.
	classToken
	// classMaybe is for names such as "pass", which can also be a test result. A short
	// value is not redacted.
	classMaybe
	// classPhone is for names of phone numbers. In the value, seven or more digits count as
	// a phone number.
	classPhone
	// classIdentity is for the members of a body that identify the end user or the session.
	// The record has hashes of their values, which must not be readable beside them.
	classIdentity
)

// identityNames lists the members of classIdentity.
var identityNames = []string{"user", "safety_identifier", "prompt_cache_key", "metadata", "labels"}

// hidesNested reports whether all values in an object or array of this class are redacted.
func (m nameClass) hidesNested() bool { return m == classSecret || m == classIdentity }

const (
	minTokenLen = 16
	minMaybeLen = 4
)

// hidesValue reports whether a value of this class must be redacted.
func (m nameClass) hidesValue(value []byte) bool {
	switch m {
	case classIdentity:
		return len(value) > 0
	case classSecret:
		return !isPlaceholder(value)
	case classToken:
		return len(value) >= minTokenLen && hasDigit(value) && bytes.IndexByte(value, ' ') < 0
	case classMaybe:
		return len(value) >= minMaybeLen && !isPlaceholder(value)
	}
	return false
}

// markerKind returns the kind in the marker of a value that is hidden.
func (m nameClass) markerKind() string {
	if m == classIdentity {
		return kindIdentity
	}
	return kindPassword
}

// These variables hold endings of names, in lower case and without separators.
var (
	secretEndings = newEndings(
		"password", "passwd", "pwd", "pswd", "passphrase", "passcode", "passwort", "kennwort", "secret", "credential", "authorization",
		"apikey", "accesskey", "secretkey", "privatekey", "authkey", "accountkey", "sharedkey", "masterkey", "signingkey", "encryptionkey",
		"subscriptionkey", "functionskey", "storagekey", "authtoken", "accesstoken", "refreshtoken", "sessiontoken", "bearertoken",
		"apitoken", "cvv", "cvc",
	)
	// secretSuffixes holds words that may follow a secret ending.
	secretSuffixes = newEndings("confirmation", "confirm", "repeat", "again", "verification", "verify", "value", "text", "hash", "old", "new", "current")
	phoneEndings   = newEndings("phone", "telefon", "phonenumber", "mobile", "mobilenumber", "whatsapp", "msisdn")
	// shortPhoneNames must match the whole name, because other words end with them.
	shortPhoneNames = []string{"tel", "fax", "cell", "mobil", "handy"}
	passEndings     = newEndings("pass")
	nonPassEndings  = newEndings("bypass", "compass", "surpass", "trespass", "overpass", "underpass")
)

// endings holds endings of names by their last byte.
type endings [256][]string

func newEndings(words ...string) *endings {
	e := &endings{}
	for _, w := range words {
		last := w[len(w)-1]
		e[last] = append(e[last], w)
	}
	return e
}

// matchLen returns the length of the ending that matches a name, or 0.
func (e *endings) matchLen(name []byte) int {
	if len(name) == 0 {
		return 0
	}
	for _, end := range e[name[len(name)-1]] {
		if bytes.HasSuffix(name, []byte(end)) {
			return len(end)
		}
	}
	return 0
}

const maxNameLen = 48

// classifyName returns the class of a name. Separators between its words do not matter.
func classifyName(name []byte) nameClass {
	if len(name) == 0 || len(name) > maxNameLen {
		return classPlain
	}
	var buf [maxNameLen]byte
	bare := buf[:0]
	for _, c := range name {
		if isLetter(c) {
			bare = append(bare, c|0x20)
		}
	}
	word := bytes.TrimSuffix(bare, []byte("s"))
	first := bare[:len(bare)-secretSuffixes.matchLen(bare)]
	switch {
	case secretEndings.matchLen(word) > 0 || secretEndings.matchLen(first) > 0:
		return classSecret
	case string(word) == "token":
		return classToken
	case string(word) == "pw" || passEndings.matchLen(bare) > 0 && nonPassEndings.matchLen(bare) == 0:
		return classMaybe
	case phoneEndings.matchLen(word) > 0 || slices.Contains(shortPhoneNames, string(word)):
		return classPhone
	}
	return classPlain
}

// hasPhoneWordBefore reports whether the number that begins at position start is the value of
// a phone name, or follows shortly after a word for phone.
func (f *finder) hasPhoneWordBefore(start int) bool {
	if f.class == classPhone {
		return true
	}
	const near = 24
	from := max(0, start-near)
	for end := start; end > from; {
		for end > from && !isLetter(f.text[end-1]) {
			end--
		}
		begin := end
		for begin > from && isLetter(f.text[begin-1]) {
			begin--
		}
		if begin < end && classifyName(f.text[begin:end]) == classPhone {
			return true
		}
		end = begin
	}
	return false
}
