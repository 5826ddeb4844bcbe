package messages_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/messages"
)

// A client chooses the names, so the list of dropped members needs a bound.
func TestDroppedMembersAreBounded(t *testing.T) {
	var tools strings.Builder
	for i := range 1000 {
		tools.WriteString(`{"type":"web_search_` + strconv.Itoa(i) + `","name":"s` + strconv.Itoa(i) + `"},`)
	}
	body := `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"}],"tools":[` + strings.TrimSuffix(tools.String(), ",") + `]}`
	r, err := requestbody.ParseMessages([]byte(body))
	require.NoError(t, err)
	chat, err := messages.Protocol{}.ToChat(r)
	require.NoError(t, err)
	require.LessOrEqual(t, len(chat.Dropped), 32)
	require.Equal(t, "tools[s0]", chat.Dropped[0])
}
