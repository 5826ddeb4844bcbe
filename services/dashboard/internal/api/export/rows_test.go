package export

import (
	"encoding/json"
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

func TestJSONCellsAreNoFormulasAndKeepTheirValues(t *testing.T) {
	for give, want := range map[string]string{
		"eu":                    `["eu"]`,
		"=cmd()":                `["=cmd()"]`,
		"a;b; c":                `["a;b; c"]`,
		"a;=cmd()":              `["a\u003b=cmd()"]`,
		"a;;\u200b'@SUM(A1);-1": `["a;\u003b` + "\u200b" + `'@SUM(A1)\u003b-1"]`,
		"a\n=1\t+1\r-1":         `["a\n=1\t+1\r-1"]`,
	} {
		cell, err := formatJSONCell([]string{give})
		require.NoError(t, err)
		require.Equal(t, want, cell)
		require.Equal(t, cell, EscapeCell(cell), "a part is a formula")
		var tags []string
		require.NoError(t, json.Unmarshal([]byte(cell), &tags))
		require.Equal(t, []string{give}, tags)
	}
}
