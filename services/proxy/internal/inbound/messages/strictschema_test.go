package messages_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/messages"
)

// isStrict reports whether a schema becomes a strict one in the chat.
func isStrict(t *testing.T, schema string) bool {
	t.Helper()
	r, err := requestbody.ParseMessages([]byte(`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}],
		"output_config":{"format":{"type":"json_schema","schema":` + schema + `}}}`))
	require.NoError(t, err)
	translation, err := messages.Protocol{}.ToChat(r)
	require.NoError(t, err)
	return strings.Contains(string(translation.Body), `"strict":true`)
}

func TestStrictSchemas(t *testing.T) {
	const closed = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
	const open = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`
	const optional = `{"type":"object","properties":{"a":{"type":"string"},"b":{}},"required":["a"],"additionalProperties":false}`
	for schema, want := range map[string]bool{
		closed: true, open: false, optional: false, `{}`: true, `{"type":"string"}`: true, `{"type":"object"}`: false,
		`{"additionalProperties":false,"type":"object"}`: true, `{"properties":{}}`: false, `{"required":["a"]}`: false,
		`{"type":"array","items":` + closed + `}`: true, `{"type":"array","items":` + open + `}`: false,
		`{"anyOf":[` + closed + `,{"type":"null"}]}`: true, `{"anyOf":[` + closed + `,` + optional + `]}`: false,
		`{"$defs":{"x":` + closed + `}}`: true, `{"$defs":{"x":` + open + `},"type":"string"}`: false,
		`{"items":[` + open + `,` + closed + `]}`: false, `{"items":true,"properties":null,"additionalProperties":false}`: true,
	} {
		require.Equal(t, want, isStrict(t, schema), schema)
	}
}

// The enumeration is so large that the test is slow if it is read again for every level of nesting.
func TestStrictSchemaWithManyLevels(t *testing.T) {
	const depth = 50
	many := `{"enum":[` + strings.Repeat("1,", 1<<17) + `1]}`
	require.True(t, isStrict(t, strings.Repeat(`{"items":`, depth)+many+strings.Repeat("}", depth)))
}
