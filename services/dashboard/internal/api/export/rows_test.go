package export

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNoCellIsAFormula(t *testing.T) {
	for give, want := range map[string]string{
		"":                         "",
		"gpt-6":                    "gpt-6",
		"a=b+c@d":                  "a=b+c@d",
		"one, -two":                "one, -two",
		"=cmd()":                   "'=cmd()",
		"+1":                       "'+1",
		"-1":                       "'-1",
		"@SUM(A1)":                 "'@SUM(A1)",
		"\t=1":                     "'\t'=1",
		"\rx":                      "'\rx",
		"\nx":                      "'\nx",
		" =1":                      "' =1",
		"\u00a0\u200b\ufeff=1":     "'\u00a0\u200b\ufeff=1",
		`"=1`:                      `'"=1`,
		"'=1":                      "''=1",
		"\uff1d1":                  "'\uff1d1",
		"\uff0b1":                  "'\uff0b1",
		"\uff0d1":                  "'\uff0d1",
		"\uff20SUM(A1)":            "'\uff20SUM(A1)",
		"name;=cmd()":              "name;'=cmd()",
		"name; \"=cmd();+1":        "name;' \"=cmd();'+1",
		"line\n=cmd()":             "line\n'=cmd()",
		"the cheapest; -20% of it": "the cheapest;' -20% of it",
		"\x00=1":                   "'\x00=1",
	} {
		require.Equal(t, want, EscapeCell(give), "%q", give)
	}
}
