// Package conversationtest holds every adapter to the same conversations. A
// subject is an adapter, the emulated vendor that it calls and the catalog's
// word on how that vendor deviates; Run has each conversation with it, plain
// and as a stream, and compares what the vendor was sent and what the client
// is given with goldens. It checks besides what holds whatever they say: no
// field and no text vanishes unsaid, and tokens add up to the vendor's own
// book. Only tests import it.
package conversationtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/emulate"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// Subject is an adapter and what is around it.
type Subject struct {
	// Name is that of the folder with its goldens, testdata/conversations/Name.
	Name string
	// Vendor makes the upstream; each conversation has its own.
	Vendor func() *emulate.Server
	// Client makes the adapter, calling an upstream at the address, which has
	// no path. The embedder is nil for one that serves none.
	Client func(t *testing.T, url string) (provider.Chatter, provider.Embedder)
	// Chat and Embed are where the models are.
	Chat, Embed Place
	// Becomes says where fields of a request are in the vendor's, by paths
	// such as generationConfig.topP. Without it they keep their names, or have
	// those that the Place gives them.
	Becomes map[string][]string
	// Uncounted is set for a vendor that does not count what it embeds.
	Uncounted bool
}

// Place is a model as the upstream has it.
type Place struct {
	Model     string
	Wire      *catalog.Wire
	MaxOutput int64
}

// Catalogued is the place that the catalog has for a provider's model.
func Catalogued(t *testing.T, providerID, model string) Place {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, ok := cat.Provider(providerID)
	require.True(t, ok, providerID)
	m, e, ok := cat.ServedAt(providerID, model)
	require.True(t, ok, model)
	most := m.MaxOutput
	if e.MaxOutput > 0 {
		most = e.MaxOutput
	}
	return Place{Model: model, Wire: p.Wire.Place(e.Wire), MaxOutput: most}
}

// Run has all conversations. The flag -update of the calling test's binary, if
// it has one, writes the goldens.
func Run(t *testing.T, s Subject) {
	for _, c := range all(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s.converse(t, c)
		})
	}
}

// converse has a conversation in both forms.
func (s Subject) converse(t *testing.T, c conversation) {
	plain := s.hold(t, c, false)
	text := plain.golden(t, "plain")
	if !c.embeds() {
		streamed := s.hold(t, c, true)
		text += streamed.golden(t, "stream")
		if !c.onlyStreams() {
			requireSame(t, plain, streamed)
		}
	}
	compare(t, "testdata/conversations/"+s.Name+"/"+c.name+".golden", text)
}

// hold has a conversation in one form, each turn checked.
func (s Subject) hold(t *testing.T, c conversation, stream bool) talk {
	t.Helper()
	line := newLine(t, s.Vendor())
	line.chatter, line.embedder = s.Client(t, line.url)
	body := c.body
	var said talk
	for {
		x := line.ask(t, s, body, stream)
		said = append(said, x)
		s.check(t, c, x)
		if len(said) > len(c.then) || x.err != nil {
			return said
		}
		body = x.goOn(t, body, c.then[len(said)-1])
	}
}

// place is where a request goes.
func (s Subject) place(embeds bool) Place {
	if embeds {
		return s.Embed
	}
	return s.Chat
}
