package registry_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/conversationtest"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
)

// One archive holds a conversation with every adapter, so the test is here, where all
// adapters meet.
func TestConversations(t *testing.T) {
	subjects := slices.Concat(openAISubjects(t), anthropicSubjects(t), geminiSubjects(t), responsesSubjects(t))
	conversationtest.Run(t, "testdata/conversations", subjects)
}

func testKeys(t *testing.T) *keypool.Pool {
	t.Helper()
	p, err := keypool.New(keypool.Key{Name: "env:ACME_KEY", Secret: "a-key-of-some-length"})
	require.NoError(t, err)
	return p
}

func testTransport(t *testing.T) *egress.Transport {
	t.Helper()
	transport := egress.New(egress.Config{AllowPrivate: true})
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}
