package openai

import (
	"regexp"
	"strings"
)

// private finds what looks like a credential or an address. An upstream that
// quotes its own insides must not make us quote them.
var private = regexp.MustCompile(strings.Join([]string{
	`\b(?i:bearer)\s+[\w.~+/*=-]{16,}`,
	`\b(?:sk|rk|pk|gsk|xai|pplx|nvapi|hf|sbx)[-_][\w*.-]{6,}`,
	`\bAIza[\w*-]{6,}`,
	`\beyJ[\w-]{8,}(?:\.[\w-]+)*`,
	`\b\d{1,3}(?:\.\d{1,3}){3}\b(?::\d{1,5}\b)?`,
	`\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*\]:\d{1,5}\b`,
	// A name without a dot is a host only if the number may be a port.
	`\b(?:[A-Za-z0-9-]+\.)+[A-Za-z][A-Za-z0-9-]*:\d{2,5}\b`,
	`\b[A-Za-z][A-Za-z0-9-]*:\d{4,5}\b`,
}, "|"))

// hide takes out what must not leave the house.
func hide(words string) string { return private.ReplaceAllString(words, "***") }
