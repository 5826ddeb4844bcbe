package upstreamerror

import (
	"encoding/base64"
	"regexp"
	"strings"

	"github.com/signalbox/signalbox/services/proxy/internal/redact"
)

// redactionMark replaces what is removed.
const redactionMark = "***"

// credentialPattern finds credentials by their form. namedSecretPattern finds
// credentials by the name before them. basicAuthPattern finds credentials of HTTP basic
// authentication.
var (
	credentialPattern = regexp.MustCompile(strings.Join([]string{
		`\b(?i:bearer)\s+[\w.~+/*=-]{16,}`,
		keyExpression(redact.KeyPrefixes()),
		`\beyJ[\w-]{8,}(?:\.[\w-]+)*`,
		`\b[\w.+-]+:[^\s:@/"']{3,}@[\w.-]+`,
		`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`,
	}, "|"))
	namedSecretPattern = regexp.MustCompile(`(?i)\b((?:[\w-]*(?:authorization|api[-_]?key|access[-_]?key|auth[-_]?token|access[-_]?token|` +
		`secret|password|passwd)|set-cookie|cookie)["']?\s*[:=]\s*["']?)((?:(?:bearer|basic|token)\s+)?[^\s"',;)}]+)`)
	basicAuthPattern = regexp.MustCompile(`\b(?i:basic)\s+([A-Za-z0-9+/_-]{6,}={0,2})`)
)

// keyExpression returns an expression for keys with these prefixes. It also finds masked
// keys, such as "sk-proj-****abcd". Upstreams quote keys in part and with changes. So a few
// characters after the prefix are enough, the words "live" and "test" are optional, and
// dashes and underscores are equivalent. After a prefix of capital letters only capital
// letters and digits count, because such a prefix can also be a word.
func keyExpression(prefixes []string) string {
	variants := strings.NewReplacer("live_", "", "test_", "", "-", "[-_]", "_", "[-_]", ".", `\.`)
	var capitals, others []string
	for _, prefix := range prefixes {
		if strings.Trim(prefix, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
			capitals = append(capitals, prefix)
		} else {
			others = append(others, variants.Replace(prefix))
		}
	}
	return `\b(?:(?:` + strings.Join(others, "|") + `)[\w*.-]{6,}|(?:` + strings.Join(capitals, "|") + `)[A-Z0-9*]{8,})`
}

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
