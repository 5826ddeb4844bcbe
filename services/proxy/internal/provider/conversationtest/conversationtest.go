// Package conversationtest runs the same conversations against every adapter. A Subject is
// an adapter, the emulated vendor that it calls, and the catalog entry with the vendor's
// deviations. Run plays each conversation twice: plain and as a stream. It compares the
// calls to the vendor and the responses to the client with the archive of the conversation.
// The archive holds the client request and the text of every subject. A subject that
// resembles another one has only the lines that differ.
//
// Run also checks invariants: every field and text reaches the vendor or is reported
// as dropped, and the token counts match those of the vendor. Only tests import this
// package. The tests of package registry call Run, because they may import all adapters.
package conversationtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/testkit/emulate"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// Subject is an adapter and its environment.
type Subject struct {
	// Name is the name of the subject's section in the archives.
	Name string
	// Base is the name of an earlier subject whose texts resemble those of this one. If it
	// is empty, the archives hold the texts in full.
	Base string
	// Vendor returns the upstream. Each conversation gets its own upstream.
	Vendor func() *emulate.Server
	// Client returns an adapter that calls the upstream at url. The url has no path.
	// The embedder is nil if the adapter serves no embeddings.
	Client func(t *testing.T, url string) (provider.ChatCompleter, provider.Embedder)
	// Chat and Embed are the endpoints that serve the requests.
	Chat, Embed Endpoint
	// VendorPaths maps request fields to paths in the vendor's request, such as
	// generationConfig.topP. If VendorPaths is nil, fields have the same name at the
	// vendor, or the name that the endpoint's Wire sets.
	VendorPaths map[string][]string
	// Uncounted is set if the vendor does not count the tokens of embeddings.
	Uncounted bool
}

// Endpoint is a model at an upstream.
type Endpoint struct {
	Model           string
	Wire            *catalog.Wire
	MaxOutputTokens int64
}

// FromCatalog returns the catalog's endpoint for a provider's model.
func FromCatalog(t *testing.T, providerID, model string) Endpoint {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, ok := cat.Provider(providerID)
	require.True(t, ok, providerID)
	m, e, ok := cat.FindEndpoint(providerID, model)
	require.True(t, ok, model)
	maxOutput := m.MaxOutput
	if e.MaxOutput > 0 {
		maxOutput = e.MaxOutput
	}
	return Endpoint{Model: model, Wire: p.Wire.ForEndpoint(e.Wire), MaxOutputTokens: maxOutput}
}

// ThroughResponses returns the endpoint with the Responses API instead of chat completions.
func ThroughResponses(e Endpoint) Endpoint {
	e.Wire = e.Wire.Merge(&catalog.Wire{API: catalog.ProtocolResponses})
	return e
}

// Run plays all conversations in the archives in dir with all subjects. If the test binary
// has the flag -update, Run writes the archives.
func Run(t *testing.T, dir string, subjects []Subject) {
	for _, file := range listArchives(t, dir) {
		t.Run(conversationName(file), func(t *testing.T) {
			t.Parallel()
			a := loadArchive(t, file)
			for _, s := range subjects {
				t.Run(s.Name, func(t *testing.T) { a.checkText(t, s, s.transcribe(t, a.conversation)) })
			}
			a.finish(t, subjects)
		})
	}
}

// transcribe plays a conversation plain and, if it is a chat, as a stream.
func (s Subject) transcribe(t *testing.T, c conversation) string {
	t.Helper()
	plain := s.play(t, c, false)
	text := plain.formatGolden(t, "plain")
	if c.isEmbedding() {
		return text
	}
	streamed := s.play(t, c, true)
	if !c.isStreamOnly() {
		requireSame(t, plain, streamed)
	}
	return text + streamed.formatGolden(t, "stream")
}

// play plays a conversation in one form and checks each turn.
func (s Subject) play(t *testing.T, c conversation, stream bool) transcript {
	t.Helper()
	rig := newRig(t, s.Vendor())
	rig.chatCompleter, rig.embedder = s.Client(t, rig.url)
	body := c.body
	var exchanges transcript
	for {
		x := rig.send(t, s, body, stream)
		exchanges = append(exchanges, x)
		s.check(t, c, x)
		if len(exchanges) > len(c.then) || x.err != nil {
			return exchanges
		}
		body = x.nextRequest(t, body, c.then[len(exchanges)-1])
	}
}

func (s Subject) endpoint(embeds bool) Endpoint {
	if embeds {
		return s.Embed
	}
	return s.Chat
}
