package messages_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/messages"
)

// A name that is shortened inside a character of several bytes is still restored.
func TestALongToolNameIsRestored(t *testing.T) {
	name := strings.Repeat("ä", 40)
	r, err := requestbody.ParseMessages([]byte(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}],
		"tools":[{"name":"` + name + `","input_schema":{"type":"object"}}]}`))
	require.NoError(t, err)
	translation, err := messages.Protocol{}.ToChat(r)
	require.NoError(t, err)
	var chat struct {
		Tools []struct{ Function struct{ Name string } }
	}
	require.NoError(t, json.Unmarshal(translation.Body, &chat))
	short := chat.Tools[0].Function.Name
	require.LessOrEqual(t, len(short), 64)
	body, err := translation.FromChat([]byte(`{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[
		{"id":"call_1","type":"function","function":{"name":"`+short+`","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`), inbound.Options{ID: "id", Model: "m"})
	require.NoError(t, err)
	require.Contains(t, string(body), `"name":"`+name+`"`)
}
