package traffic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
)

// The requests are valid in their protocols, and alike: the gateway counts about the same
// tokens.
func TestAgentBodies(t *testing.T) {
	var tokens []int64
	for protocol, parse := range map[string]func([]byte) (*requestbody.Request, error){
		ProtocolChat: requestbody.ParseChat, ProtocolMessages: requestbody.ParseMessages, ProtocolResponses: requestbody.ParseResponses,
		ProtocolGemini: func(body []byte) (*requestbody.Request, error) {
			return requestbody.ParseGenerateContent(body, "m", false)
		},
	} {
		r, err := parse([]byte(agentBody(protocol, AgentBytes)))
		require.NoError(t, err, protocol)
		require.Empty(t, r.NativeOnly, protocol)
		tokens = append(tokens, r.InputTokens)
	}
	for _, n := range tokens {
		require.InEpsilon(t, tokens[0], n, 0.05)
	}
}
