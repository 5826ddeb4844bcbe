package sandbox_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const twoTools = `"tools":[
	{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","required":["city","unit","days"],
		"properties":{"city":{"type":"string"},"unit":{"enum":["celsius","kelvin"]},"days":{"type":"integer","minimum":3},"extra":{"type":"string"}}}}},
	{"type":"function","function":{"name":"get_time"}}]`

func TestTools(t *testing.T) {
	for _, tt := range []struct {
		name, text, extra string
		want              []string
	}{
		{"not mentioned", "hello", "", nil},
		{"mentioned", "please call GET_TIME", "", []string{"get_time"}},
		{"mentioned in words", "get weather for me", "", []string{"get_weather"}},
		{"both", "get_weather and get_time", "", []string{"get_weather", "get_time"}},
		{"one at a time", "get_weather and get_time", `"parallel_tool_calls":false`, []string{"get_weather"}},
		{"forbidden", "get_time", `"tool_choice":"none"`, nil},
		{"auto", "hello", `"tool_choice":"auto"`, nil},
		{"required", "hello", `"tool_choice":"required"`, []string{"get_weather"}},
		{"required and mentioned", "get_time", `"tool_choice":"required"`, []string{"get_time"}},
		{"named", "get_weather", `"tool_choice":{"type":"function","function":{"name":"get_time"}}`, []string{"get_time"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			extra := twoTools
			if tt.extra != "" {
				extra += "," + tt.extra
			}
			s := sendChat(t, "sandbox-small", tt.text, extra)
			var names []string
			for _, c := range s.Calls {
				names = append(names, c.Name)
				require.True(t, json.Valid([]byte(c.Arguments)))
			}
			require.Equal(t, tt.want, names)
			if tt.want != nil {
				require.Equal(t, "tool_calls", s.Finish)
				require.Empty(t, s.Content)
				require.Positive(t, s.Usage.Completion)
			}
		})
	}
}

func TestArgumentsFollowTheSchema(t *testing.T) {
	s := sendChat(t, "sandbox-small", "get_weather", twoTools)
	require.JSONEq(t, `{"city":"sample city","unit":"celsius","days":3}`, s.Calls[0].Arguments)
	require.NotEmpty(t, s.Calls[0].ID)
}

func TestJSONObject(t *testing.T) {
	s := sendChat(t, "sandbox-small", "hi", `"response_format":{"type":"json_object"}`)
	var o map[string]string
	require.NoError(t, json.Unmarshal([]byte(s.Content), &o))
	require.Equal(t, "sandbox-small", o["sandbox"])
}

func TestJSONSchema(t *testing.T) {
	for name, tt := range map[string]struct{ schema, want string }{
		"object":    {`{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"null"},"c":{"type":"number"}},"required":["a","b","c"]}`, `{"a":true,"b":null,"c":1}`},
		"nested":    {`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]}},"required":["a"]}`, `{"a":{"b":"sample b"}}`},
		"array":     {`{"type":"array","minItems":2,"items":{"type":"integer"}}`, `[1,1]`},
		"no items":  {`{"type":"array"}`, `[]`},
		"const":     {`{"const":{"k":1}}`, `{"k":1}`},
		"nullable":  {`{"type":["null","string"]}`, `"sample value"`},
		"any of":    {`{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `1`},
		"one of":    {`{"oneOf":[{"enum":["x"]}]}`, `"x"`},
		"reference": {`{"$defs":{"P":{"type":"object","properties":{"n":{"type":"string","format":"date"}},"required":["n"]}},"$ref":"#/$defs/P"}`, `{"n":"2026-01-31"}`},
		"format":    {`{"type":"string","format":"email"}`, `"sample@example.com"`},
		"untyped":   {`{"properties":{"a":{"enum":[7]}},"required":["a"]}`, `{"a":7}`},
		"no schema": {`true`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := sendChat(t, "sandbox-medium", "hi", `"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":`+tt.schema+`}}`)
			require.JSONEq(t, tt.want, s.Content)
		})
	}
}

func TestSchemaThatContainsItself(t *testing.T) {
	schema := `{"$defs":{"P":{"type":"object","properties":{"next":{"$ref":"#/$defs/P"}},"required":["next"]}},"$ref":"#/$defs/P"}`
	s := sendChat(t, "sandbox-medium", "hi", `"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":`+schema+`}}`)
	require.True(t, json.Valid([]byte(s.Content)))
}

// Without a bound, each of these would take hours and exhaust memory.
func TestHostileSchemasCostLittle(t *testing.T) {
	properties, required := []string{}, []string{}
	for i := range 30 {
		properties = append(properties, fmt.Sprintf(`"p%d":{"$ref":"#/$defs/P"}`, i))
		required = append(required, fmt.Sprintf(`"p%d"`, i))
	}
	wide := `{"$defs":{"P":{"type":"object","properties":{` + strings.Join(properties, ",") +
		`},"required":[` + strings.Join(required, ",") + `]}},"$ref":"#/$defs/P"}`
	deep := `{"type":"integer"}`
	for range 12 {
		deep = `{"type":"array","minItems":8,"items":` + deep + `}`
	}
	for name, schema := range map[string]string{"wide": wide, "deep": deep} {
		t.Run(name, func(t *testing.T) {
			s := sendChat(t, "sandbox-medium", "hi", `"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":`+schema+`}}`)
			require.True(t, json.Valid([]byte(s.Content)))
			require.Less(t, len(s.Content), 1<<20)

			tool := `{"function":{"name":"f","parameters":` + schema + `}}`
			s = sendChat(t, "sandbox-small", "f", `"tools":[`+strings.Repeat(tool+",", 100)+tool+`]`)
			require.Len(t, s.Calls, 101)
			require.Equal(t, "{}", s.Calls[100].Arguments, "all samples of an answer share one bound")
		})
	}
}
