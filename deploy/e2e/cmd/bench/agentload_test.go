package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
)

// The requests are valid in their protocols, and alike: the gateway counts about the same
// tokens.
func TestAgentBodies(t *testing.T) {
	var tokens []int64
	for protocol, parse := range map[string]func([]byte) (*requestbody.Request, error){
		protocolChat: requestbody.ParseChat, protocolMessages: requestbody.ParseMessages, protocolResponses: requestbody.ParseResponses,
		protocolGemini: func(body []byte) (*requestbody.Request, error) {
			return requestbody.ParseGenerateContent(body, "m", false)
		},
	} {
		r, err := parse([]byte(agentBody(protocol, agentBytes)))
		require.NoError(t, err, protocol)
		require.Empty(t, r.NativeOnly, protocol)
		tokens = append(tokens, r.InputTokens)
	}
	for _, n := range tokens {
		require.InEpsilon(t, tokens[0], n, 0.05)
	}
}

// The limit of an agent load is a multiple of the gateway's own figure for chat completions.
func TestAgentColumns(t *testing.T) {
	var out bytes.Buffer
	b, err := newBench([]string{"-bin", t.TempDir(), "-peers", nameExplicit})
	require.NoError(t, err)
	b.out = &out
	b.results[nameExplicit] = map[string][]figures{loadAgent + protocolChat: {{CPU: 100}}, loadAgent + protocolMessages: {{CPU: 131}}, loadAgent + protocolGemini: {{CPU: 130}}}
	b.printTargets()
	require.Regexp(t, `(?m)messages CPU us +explicit .* <= 1.3 x agent-chat +NOT met *$`, out.String())
	require.Regexp(t, `(?m)gemini CPU us +explicit .* <= 1.3 x agent-chat +met *$`, out.String())
}
