package upstreamerror

import (
	"encoding/base64"
	"regexp"
	"strings"
)

const redactionMark = "***"

// credentialPattern finds credentials by their form. namedSecretPattern finds
// credentials by the name before them. basicAuthPattern finds credentials of HTTP basic
// authentication.
var (
	credentialPattern = regexp.MustCompile(strings.Join([]string{
		`\b(?i:bearer)\s+[\w.~+/*=-]{16,}`,
		`\b(?:sk|rk|pk|gsk|xai|pplx|nvapi|hf|sbx|ghp|gho|ghs|glpat|xoxb|xoxp)[-_][\w*.-]{6,}`,
		`\bAIza[\w*-]{6,}`,
		`\b(?:AKIA|ASIA)[A-Z0-9*]{12,}`,
		`\beyJ[\w-]{8,}(?:\.[\w-]+)*`,
		`\b[\w.+-]+:[^\s:@/"']{3,}@[\w.-]+`,
		`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`,
	}, "|"))
	namedSecretPattern = regexp.MustCompile(`(?i)\b((?:[\w-]*(?:authorization|api[-_]?key|access[-_]?key|auth[-_]?token|access[-_]?token|` +
		`secret|password|passwd)|set-cookie|cookie)["']?\s*[:=]\s*["']?)((?:(?:bearer|basic|token)\s+)?[^\s"',;)}]+)`)
	basicAuthPattern = regexp.MustCompile(`\b(?i:basic)\s+([A-Za-z0-9+/_-]{6,}={0,2})`)
)

// redactText removes credentials and private addresses from an upstream's text
// before it is passed on.
func redactText(text string) string {
	text = credentialPattern.ReplaceAllString(text, redactionMark)
	text = namedSecretPattern.ReplaceAllStringFunc(text, redactNamedSecret)
	text = basicAuthPattern.ReplaceAllStringFunc(text, redactBasicAuth)
	return redactAddresses(text)
}

// redactNamedSecret removes the value after the name of a credential. It keeps a value
// that looks like an ordinary word.
func redactNamedSecret(pair string) string {
	parts := namedSecretPattern.FindStringSubmatch(pair)
	value := parts[2]
	_, secret, hasScheme := strings.Cut(value, " ")
	if !hasScheme {
		secret = value
	}
	if !hasScheme && len(secret) < 20 && !strings.ContainsAny(secret, "0123456789") {
		return pair
	}
	return parts[1] + redactionMark
}

// redactBasicAuth removes a value that decodes to a user name and a password.
func redactBasicAuth(pair string) string {
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(basicAuthPattern.FindStringSubmatch(pair)[1], "="))
	if err != nil || !strings.Contains(string(text), ":") {
		return pair
	}
	return redactionMark
}
