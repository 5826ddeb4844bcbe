package redact

import (
	"bytes"
	"encoding/base64"
)

// keyFormat is the prefix of an issuer's keys and the minimum length after it. If
// ordinary words can also begin with the prefix, the rest must contain a digit.
type keyFormat struct {
	prefix     string
	minLen     int
	needsDigit bool
}

// knownKeys is the only list of key formats. The scrubber of package upstreamerror uses its
// prefixes.
var knownKeys = []keyFormat{
	{"sk-", 12, true}, {"sk_live_", 8, false}, {"sk_test_", 8, false}, {"rk_live_", 8, false}, {"pk_live_", 8, false},
	{"sbx_live_", 6, false}, {"sbx_test_", 6, false}, {"sbx_token_", 6, false}, {"AIza", 20, false}, {"AKIA", 16, false}, {"ASIA", 16, false},
	{"ghp_", 16, false}, {"gho_", 16, false}, {"ghu_", 16, false}, {"ghs_", 16, false}, {"ghr_", 16, false},
	{"github_pat_", 16, false}, {"glpat-", 12, true}, {"gsk_", 16, true}, {"hf_", 16, true}, {"npm_", 30, true},
	{"xoxa-", 8, true}, {"xoxb-", 8, true}, {"xoxe-", 8, true}, {"xoxo-", 8, true}, {"xoxp-", 8, true}, {"xoxr-", 8, true},
	{"xoxs-", 8, true}, {"xapp-", 8, true}, {"xai-", 16, true}, {"pplx-", 16, true}, {"nvapi-", 16, true}, {"csk-", 16, true},
	{"tvly-", 12, true}, {"r8_", 20, true}, {"fw_", 16, true}, {"dapi", 32, true}, {"pypi-", 16, true}, {"whsec_", 16, true},
	{"shpat_", 16, true}, {"dop_v1_", 16, true}, {"lin_api_", 16, true}, {"GOCSPX-", 16, false}, {"SG.", 20, true}, {"ya29.", 16, false},
}

// keyFormats holds the formats by the first letter of the prefix.
var keyFormats = func() (by [256][]keyFormat) {
	for _, k := range knownKeys {
		by[k.prefix[0]] = append(by[k.prefix[0]], k)
	}
	return by
}()

// KeyPrefixes returns how the keys of the known issuers begin.
func KeyPrefixes() []string {
	prefixes := make([]string, len(knownKeys))
	for i, k := range knownKeys {
		prefixes[i] = k.prefix
	}
	return prefixes
}

// findKeyEnd returns where the credential at i ends, or i if there is none.
func (f *finder) findKeyEnd(i int) int {
	t := f.text[i:]
	for _, k := range keyFormats[t[0]] {
		if !bytes.HasPrefix(t, []byte(k.prefix)) {
			continue
		}
		body := i + len(k.prefix)
		end, digit := f.findTokenEnd(body, k.prefix[len(k.prefix)-1] == '.')
		if end-body >= k.minLen && (!k.needsDigit || digit) {
			return end
		}
	}
	switch t[0] {
	case 'e':
		return f.findJWTEnd(i)
	case 'b', 'B':
		return i + f.authHeaderLen(t)
	}
	return i
}

// findJWTEnd returns where the JSON Web Token at i ends, or i if there is none.
func (f *finder) findJWTEnd(i int) int {
	if !bytes.HasPrefix(f.text[i:], []byte("eyJ")) {
		return i
	}
	head, _ := f.findTokenEnd(i, false)
	end, _ := f.findTokenEnd(i, true)
	if head-i < 10 || end < head+8 {
		return i
	}
	return end
}

// authHeaderLen returns the length of an Authorization header value at the beginning of
// t: "Bearer" or "Basic" and the credential. It returns 0 if there is none.
func (f *finder) authHeaderLen(t []byte) int {
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

// scanPEM looks for a private key in PEM format at i and returns where to continue.
func (f *finder) scanPEM(i int) int {
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
	f.addSpan(i, i+to, kindKey)
	return i + to
}

// credentialLen returns the length of the credential that t begins with.
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
