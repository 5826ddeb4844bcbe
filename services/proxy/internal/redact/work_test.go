package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hostile holds texts full of possible beginnings, each of which could end far behind
// all others: a repeated piece and what follows it.
var hostile = map[string][2]string{
	"password":       {"password=", "("},
	"pwd":            {"pwd=", "("},
	"call":           {"password=x(", ""},
	"token":          {"token=", ""},
	"token colon":    {"token:", " "},
	"pwd dots":       {"pwd:", strings.Repeat(":", 5_000)},
	"signed":         {"eyJ-----", ""},
	"signed dots":    {"eyJ.", ""},
	"issuer":         {"sk------", ""},
	"issuer dots":    {"SG.-.", ""},
	"lists":          {"password:[", ""},
	"objects":        {`"password":{"`, ""},
	"objects closed": {`"password":{"a":{},`, ""},
	"quotes":         {"password=\"password='password=`", ""},
	"escaped quotes": {`token="\"token='\'`, ""},
	"open quotes":    {`token='a"`, ""},
	"blanks":         {"pwd:", strings.Repeat(" ", 5_000)},
	"lines":          {"pwd:\n", ""},
	"schemes":        {"bearer ", ""},
	"scheme dots":    {"b ~b", ""},
	"userinfo":       {"://a:", ""},
	"signs":          {"password==", ""},
	"stars":          {"password=*", ""},
	"stand-ins":      {"password={", ""},
	"tags":           {"password=<", ""},
	"digits":         {"1 ", ""},
	"cards":          {"4111 1111 1111 1111 ", ""},
	"phones":         {"phone 4 1 5 5 5 5 2 6 7 1 ", ""},
	"blocks":         {"-----BEGIN PRIVATE KEY-----", ""},
}

// The work is linear in the length of a text, whatever it contains, for each layer of
// escapes.
func TestWorkGrowsWithTheText(t *testing.T) {
	r := newRedactor(t)
	for name, h := range hostile {
		for _, prefix := range []string{"", "%252525252525252520 "} {
			text := prefix + strings.Repeat(h[0], 20_000/len(h[0])) + h[1]
			require.Less(t, r.Steps([]byte(text), unlimited), 40*len(text), "%s behind %q", name, prefix)
		}
	}
}
