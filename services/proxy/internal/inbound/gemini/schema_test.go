package gemini_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/gemini"
)

// The enumeration is so large that the test is slow if it is read again for every level of nesting.
func TestSchemaWithManyLevels(t *testing.T) {
	const depth = 50
	many := `"enum":[` + strings.Repeat("1,", 1<<17) + `1`
	nest := func(schema string) string {
		return strings.Repeat(`{"items":`, depth) + schema + strings.Repeat("}", depth)
	}
	r, err := requestbody.ParseGenerateContent([]byte(`{"contents":[{"parts":[{"text":"a"}]}],"generationConfig":{"responseSchema":`+
		nest(`{`+many+`],"type":"INTEGER","nullable":true}`)+`}}`), "m", false)
	require.NoError(t, err)
	translation, err := gemini.Protocol{}.ToChat(r)
	require.NoError(t, err)
	require.Contains(t, string(translation.Body), nest(`{`+many+`,null],"type":["integer","null"]}`))
}
