package redact

import (
	"bytes"
	"encoding/base64"
)

// issuer is how an issuer's keys begin, and how many characters follow at
// least. A word could follow as well, so that most must have a digit.
type issuer struct {
	prefix string
	least  int
	words  bool
}

// issuers are by the first letter of their keys.
var issuers = func() (by [256][]issuer) {
	for _, k := range []issuer{
		{"sk-", 12, true}, {"sk_live_", 8, false}, {"sk_test_", 8, false}, {"rk_live_", 8, false}, {"pk_live_", 8, false},
		{"sbx_live_", 6, false}, {"sbx_test_", 6, false}, {"AIza", 20, false}, {"AKIA", 16, false}, {"ASIA", 16, false},
		{"ghp_", 16, false}, {"gho_", 16, false}, {"ghu_", 16, false}, {"ghs_", 16, false}, {"ghr_", 16, false},
		{"github_pat_", 16, false}, {"glpat-", 12, true}, {"gsk_", 16, true}, {"hf_", 16, true}, {"npm_", 30, true},
		{"xoxa-", 8, true}, {"xoxb-", 8, true}, {"xoxe-", 8, true}, {"xoxo-", 8, true}, {"xoxp-", 8, true}, {"xoxr-", 8, true},
		{"xoxs-", 8, true}, {"xapp-", 8, true}, {"xai-", 16, true}, {"pplx-", 16, true}, {"nvapi-", 16, true}, {"csk-", 16, true},
		{"tvly-", 12, true}, {"r8_", 20, true}, {"fw_", 16, true}, {"dapi", 32, true}, {"pypi-", 16, true}, {"whsec_", 16, true},
		{"shpat_", 16, true}, {"dop_v1_", 16, true}, {"lin_api_", 16, true}, {"GOCSPX-", 16, false}, {"SG.", 20, true}, {"ya29.", 16, false},
	} {
		by[k.prefix[0]] = append(by[k.prefix[0]], k)
	}
	return by
}()

// key is where the credential ends that begins here, i if there is none.
func (f *finder) key(i int) int {
	t := f.text[i:]
	for _, k := range issuers[t[0]] {
		if !bytes.HasPrefix(t, []byte(k.prefix)) {
			continue
		}
		body := i + len(k.prefix)
		end, digit := f.tokenEnd(body, k.prefix[len(k.prefix)-1] == '.')
		if end-body >= k.least && (!k.words || digit) {
			return end
		}
	}
	switch t[0] {
	case 'e':
		return f.signed(i)
	case 'b', 'B':
		return i + f.scheme(t)
	}
	return i
}

// signed is where the JSON Web Token ends that begins here, i if there is none.
func (f *finder) signed(i int) int {
	if !bytes.HasPrefix(f.text[i:], []byte("eyJ")) {
		return i
	}
	head, _ := f.tokenEnd(i, false)
	end, _ := f.tokenEnd(i, true)
	if head-i < 10 || end < head+8 {
		return i
	}
	return end
}

// scheme is the length of what a header's value would be: Bearer or Basic and
// the credential.
func (f *finder) scheme(t []byte) int {
	word := 0
	for word < len(t) && isLetter(t[word]) {
		word++
	}
	at := word
	for at < len(t) && (t[at] == ' ' || t[at] == '\t') {
		at++
	}
	if at == word {
		return 0
	}
	n := credentialLen(t[at:])
	f.steps += at + n
	value := t[at : at+n]
	switch {
	case bytes.EqualFold(t[:word], []byte("bearer")):
		if n >= 16 && hasDigit(value) {
			return at + n
		}
	case bytes.EqualFold(t[:word], []byte("basic")):
		text, err := base64.RawStdEncoding.DecodeString(string(bytes.TrimRight(value, "=")))
		if err == nil && n >= 6 && bytes.IndexByte(text, ':') > 0 {
			return at + n
		}
	}
	return 0
}

// block looks for a private key in the form of files.
func (f *finder) block(i int) int {
	const begin, end, private = "-----BEGIN ", "-----END ", "PRIVATE KEY"
	t := f.text[i:]
	if !bytes.HasPrefix(t, []byte(begin)) {
		return i + 1
	}
	title := t[len(begin):min(len(t), len(begin)+64)]
	if !bytes.Contains(title[:max(0, bytes.Index(title, []byte("-----")))], []byte(private)) {
		return i + len(begin)
	}
	to := len(t)
	if at := bytes.Index(t, []byte(end)); at >= 0 {
		to = at + len(end)
		if line := bytes.Index(t[to:], []byte("-----")); line >= 0 {
			to += line + len("-----")
		}
	}
	f.add(i, i+to, kindKey)
	return i + to
}

// credentialLen is that of what a scheme is followed by.
func credentialLen(t []byte) int {
	n := 0
	for n < len(t) && (isAlnum(t[n]) || bytes.IndexByte([]byte("._~+/=-*"), t[n]) >= 0) {
		n++
	}
	return n
}

func hasDigit(t []byte) bool {
	for _, c := range t {
		if isDigit(c) {
			return true
		}
	}
	return false
}
