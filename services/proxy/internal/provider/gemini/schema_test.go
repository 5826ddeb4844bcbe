package gemini

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The enumeration is so large that the test is slow if it is read again for every level of nesting.
func TestSchemaWithManyLevels(t *testing.T) {
	const depth = 50
	nest := func(schema string) string {
		return strings.Repeat(`{"items":`, depth) + schema + strings.Repeat("}", depth)
	}
	many := `{"enum":[` + strings.Repeat("1,", 1<<17) + `1]}`
	give := `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":` + nest(`{"allOf":[`+many+`]}`) + `}}`
	body, _, err := buildChatRequest(chatCall(t, give, nil), replaySignatures)
	require.NoError(t, err)
	require.Contains(t, string(body), nest(many))
}
