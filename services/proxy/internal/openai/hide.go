package openai

import (
	"encoding/base64"
	"regexp"
	"strings"
)

const hidden = "***"

// credentials finds what looks like one by its form, or by the name before it,
// which stays.
var (
	credentials = regexp.MustCompile(strings.Join([]string{
		`\b(?i:bearer)\s+[\w.~+/*=-]{16,}`,
		`\b(?:sk|rk|pk|gsk|xai|pplx|nvapi|hf|sbx|ghp|gho|ghs|glpat|xoxb|xoxp)[-_][\w*.-]{6,}`,
		`\bAIza[\w*-]{6,}`,
		`\b(?:AKIA|ASIA)[A-Z0-9*]{12,}`,
		`\beyJ[\w-]{8,}(?:\.[\w-]+)*`,
		`\b[\w.+-]+:[^\s:@/"']{3,}@[\w.-]+`,
		`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`,
	}, "|"))
	named = regexp.MustCompile(`(?i)\b((?:[\w-]*(?:authorization|api[-_]?key|access[-_]?key|auth[-_]?token|access[-_]?token|` +
		`secret|password|passwd)|set-cookie|cookie)["']?\s*[:=]\s*["']?)((?:(?:bearer|basic|token)\s+)?[^\s"',;)}]+)`)
	basic = regexp.MustCompile(`\b(?i:basic)\s+([A-Za-z0-9+/_-]{6,}={0,2})`)
)

// hide takes out of an upstream's words what must not leave the house: what
// looks like a credential or an address of its own.
func hide(words string) string {
	words = credentials.ReplaceAllString(words, hidden)
	words = named.ReplaceAllStringFunc(words, hideNamed)
	words = basic.ReplaceAllStringFunc(words, hideBasic)
	return hideAddresses(words)
}

// hideNamed takes out the value behind a credential's name, unless it is a
// word of a sentence.
func hideNamed(pair string) string {
	parts := named.FindStringSubmatch(pair)
	value := parts[2]
	_, secret, schemed := strings.Cut(value, " ")
	if !schemed {
		secret = value
	}
	if !schemed && len(secret) < 20 && !strings.ContainsAny(secret, "0123456789") {
		return pair
	}
	return parts[1] + hidden
}

// hideBasic takes out what decodes to a name and a password.
func hideBasic(pair string) string {
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(basic.FindStringSubmatch(pair)[1], "="))
	if err != nil || !strings.Contains(string(text), ":") {
		return pair
	}
	return hidden
}
