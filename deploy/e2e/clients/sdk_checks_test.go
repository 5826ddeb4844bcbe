package clients

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// wanted returns the expected result. The vendor's own count determines the usage.
func (l library) wanted(c testCase, charged emulate.Usage) observation {
	prompt := c.promptFor(l)
	want := l.shown(c)
	want.Finish = l.sdk.finishes[want.Finish]
	want.Text = strings.ReplaceAll(want.Text, "{prompt}", prompt)
	if c.kind != "cancel" {
		want.Input, want.Output = charged.Input+charged.CacheRead, charged.Output
	}
	if c.Think && (c.upstream != "openai" || l.sdk.protocol == "responses") {
		want.Thinking = thinkingAbout(prompt)
	}
	return want
}

// thinkingAbout returns the thinking of an emulated vendor. OpenAI does not show it in chat
// completions.
func thinkingAbout(prompt string) string {
	return fmt.Sprintf("The last message has %d characters. I will say so.", utf8.RuneCountInString(prompt))
}

// unwrapResults removes the objects around the results of tools, which Gemini requires.
var unwrapResults = strings.NewReplacer(`{"output":"`, "", `"}`, "")

// comparable checks the ids of the tool calls. It removes what the vendors choose.
func (s observation) comparable(t *testing.T) observation {
	seen := map[string]bool{}
	for _, call := range s.Calls {
		require.False(t, call.ID != "" && seen[call.ID], "two calls have the id %q", call.ID)
		seen[call.ID] = true
	}
	s = s.maskID()
	s.Then = unwrapResults.Replace(s.Then)
	for i := range s.Calls {
		s.Calls[i].ID = ""
	}
	return s
}

// checkThinkingIsSentBack checks that the second call contains the vendor's signature of the
// thinking. The vendors also reject a tool call whose thinking is missing or was changed.
func checkThinkingIsSentBack(t *testing.T, c testCase, got observation, calls []emulate.Entry) {
	require.Len(t, calls, 2)
	switch c.upstream {
	case "anthropic":
		require.Contains(t, calls[1].Body, server.MakeSignature("thinking", got.Thinking))
		require.Contains(t, calls[1].Body, got.Thinking)
	case "google":
		require.Contains(t, calls[1].Body, `"thoughtSignature":`)
	}
}

// checkCount checks a count of tokens: no vendor is called.
func (g *gateway) checkCount(t *testing.T, lib library, c testCase, got observation) {
	require.Positive(t, got.Input)
	require.LessOrEqual(t, got.Input, int64(len(c.promptFor(lib))))
	require.Empty(t, g.vendors.callsWith(c.upstream, marker(lib.name, c.name)))
}

// checkRecord checks the record of a request, and that a client that leaves ends the call of
// the vendor.
func (g *gateway) checkRecord(t *testing.T, lib library, c testCase, id string, call emulate.Entry) {
	require.Equal(t, c.kind == "cancel", c.want.Finish == "", "only a cancelled response has no end")
	if id == "" {
		return
	}
	rec := g.api.AwaitRecord(id)
	require.Equal(t, lib.sdk.protocol, rec.Protocol)
	require.Equal(t, lib.sdk.agent, rec.Agent)
	require.Equal(t, vendorsByName[c.upstream].provider, rec.Provider)
	if c.kind != "cancel" {
		require.Equal(t, "ok", rec.Outcome)
		require.Equal(t, call.Usage.Input+call.Usage.CacheRead, rec.Tokens.Input)
		require.Equal(t, call.Usage.Output, rec.Tokens.Output)
		return
	}
	require.Equal(t, "client_closed", rec.Outcome)
	require.Eventually(t, func() bool {
		return g.vendors.callsWith(c.upstream, marker(lib.name, c.name))[0].Disconnected
	}, 5*time.Second, 10*time.Millisecond, "the call of the vendor goes on")
}
