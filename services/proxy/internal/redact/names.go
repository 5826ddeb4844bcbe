package redact

import (
	"bytes"
	"slices"
)

// meant is what the name of a value says about it.
type meant int

const (
	plain meant = iota
	// secret is not to be kept whatever it looks like.
	secret
	// token is a word of this trade as well, so that it must look like one.
	token
	// maybe is a word that also says how a test went.
	maybe
	// phone is a number of seven digits or more.
	phone
)

const (
	tokenLeast = 16
	maybeLeast = 4
)

// hides tells whether a value of that meaning must not be kept.
func (m meant) hides(value []byte) bool {
	switch m {
	case secret:
		return !placeholder(value)
	case token:
		return len(value) >= tokenLeast && hasDigit(value) && bytes.IndexByte(value, ' ') < 0
	case maybe:
		return len(value) >= maybeLeast && !placeholder(value)
	}
	return false
}

// secrets are how names of secrets end, and phones names of phone numbers, in
// small letters and without what joins words.
var (
	secrets = endingsOf(
		"password", "passwd", "pwd", "pswd", "passphrase", "passcode", "passwort", "kennwort", "secret", "credential", "authorization",
		"apikey", "accesskey", "secretkey", "privatekey", "authkey", "accountkey", "sharedkey", "masterkey", "signingkey", "encryptionkey",
		"subscriptionkey", "functionskey", "storagekey", "authtoken", "accesstoken", "refreshtoken", "sessiontoken", "bearertoken",
		"apitoken", "cvv", "cvc",
	)
	// again is what may follow them.
	again  = endingsOf("confirmation", "confirm", "repeat", "again", "verification", "verify", "value", "text", "hash", "old", "new", "current")
	phones = endingsOf("phone", "telefon", "phonenumber", "mobile", "mobilenumber", "whatsapp", "msisdn")
	// others end like these shorter words.
	shortPhones = []string{"tel", "fax", "cell", "mobil", "handy"}
	passes      = endingsOf("pass")
	noPasses    = endingsOf("bypass", "compass", "surpass", "trespass", "overpass", "underpass")
)

// endings are those of names, by their last byte.
type endings [256][]string

func endingsOf(words ...string) *endings {
	e := &endings{}
	for _, w := range words {
		last := w[len(w)-1]
		e[last] = append(e[last], w)
	}
	return e
}

// of is the length of the ending that a name has, 0 if it has none.
func (e *endings) of(name []byte) int {
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

const longestName = 48

// meaning is that of a name, however its words are joined.
func meaning(name []byte) meant {
	if len(name) == 0 || len(name) > longestName {
		return plain
	}
	var buf [longestName]byte
	bare := buf[:0]
	for _, c := range name {
		if isLetter(c) {
			bare = append(bare, c|0x20)
		}
	}
	word := bytes.TrimSuffix(bare, []byte("s"))
	first := bare[:len(bare)-again.of(bare)]
	switch {
	case secrets.of(word) > 0 || secrets.of(first) > 0:
		return secret
	case string(word) == "token":
		return token
	case string(word) == "pw" || passes.of(bare) > 0 && noPasses.of(bare) == 0:
		return maybe
	case phones.of(word) > 0 || slices.Contains(shortPhones, string(word)):
		return phone
	}
	return plain
}

// speaksOfPhone tells whether the words just before a number name a phone.
func (f *finder) speaksOfPhone(at int) bool {
	if f.named == phone {
		return true
	}
	const near = 24
	from := max(0, at-near)
	for end := at; end > from; {
		for end > from && !isLetter(f.text[end-1]) {
			end--
		}
		begin := end
		for begin > from && isLetter(f.text[begin-1]) {
			begin--
		}
		if begin < end && meaning(f.text[begin:end]) == phone {
			return true
		}
		end = begin
	}
	return false
}
