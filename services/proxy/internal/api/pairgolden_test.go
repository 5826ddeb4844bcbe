package api_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/golden"
)

var (
	createdTime = regexp.MustCompile(`("created(?:_at)?":)1[789][0-9]{8}\b`)
	longString  = regexp.MustCompile(`"[A-Za-z0-9+/=_ .-]{256,}"`)
)

// longTexts replaces names in requests by texts that are long enough for a vendor's cache.
var longTexts = strings.NewReplacer("$rules", strings.Repeat("rules of the house ", 300), "$facts", strings.Repeat("facts about the yard ", 300))

// Every archive holds one conversation: the requests of a client of each protocol, which people
// write, then what each upstream receives from each client, and what the client gets. The flag
// -update writes the latter.
func TestConversationsOfEveryPair(t *testing.T) {
	rigs := map[string]*pairRig{}
	for _, u := range pairUpstreams {
		rigs[u.name] = newPairRig(t, u)
	}
	files, err := filepath.Glob("testdata/pairs/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			checkPairs(t, file, rigs)
		})
	}
	for name, g := range rigs {
		require.Positive(t, g.counted.CacheRead, name)
		require.Positive(t, g.counted.Reasoning, name)
	}
	claude := rigs["messages"].counted
	require.Positive(t, claude.CacheWrite1h)
	require.Greater(t, claude.CacheWrite, claude.CacheWrite1h, "some are cached for five minutes")
}

func checkPairs(t *testing.T, file string, rigs map[string]*pairRig) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	sections, err := golden.ParseSections(string(content))
	require.NoError(t, err)
	written, turns := splitWritten(sections)
	var variants []golden.Variant
	for _, u := range pairUpstreams {
		for i := range pairClients {
			c := &pairClients[i]
			requests, responses := runPair(t, rigs[u.name], c, turns[c.name])
			variants = append(variants,
				golden.Variant{Name: c.name + " to " + u.name + ", request", Text: requests, Base: "chat to " + u.name + ", request"},
				golden.Variant{Name: c.name + " to " + u.name + ", response", Text: responses, Base: c.name + " to chat, response"})
		}
	}
	formatted := golden.FormatSections(append(written, golden.VariantSections(variants)...))
	if golden.IsUpdate() {
		require.NoError(t, os.WriteFile(file, []byte(formatted), 0o644))
		return
	}
	golden.RequireEqual(t, string(content), formatted)
}

// splitWritten returns the sections that people write, and the requests in them by client. A
// client without a section cannot express the conversation.
func splitWritten(sections []golden.Section) (written []golden.Section, turns map[string][]string) {
	turns = map[string][]string{}
	for _, s := range sections {
		client, isRequest := strings.CutSuffix(s.Name, " sends")
		if !isRequest {
			continue
		}
		client, _, _ = strings.Cut(client, ", then")
		written = append(written, s)
		turns[client] = append(turns[client], longTexts.Replace(strings.TrimSpace(s.Text)))
	}
	return written, turns
}

// runPair runs a conversation without streams and with streams.
func runPair(t *testing.T, g *pairRig, c *pairClient, turns []string) (requests, responses string) {
	t.Helper()
	var up, down strings.Builder
	var replies []string
	g.ids = nil
	for _, form := range []string{"plain", "stream"} {
		g.restart()
		for i, template := range turns {
			body := template
			if i > 0 {
				// The turn of the plain conversation also fits the streamed one.
				body = c.fill(t, template, replies[i-1])
			}
			x := g.exchange(t, c, body, form == "stream")
			for _, call := range x.calls {
				fmt.Fprintf(&up, "== %s %d: %s\n%s", form, i+1, call.path, indented(t, g.replaceIDs(call.body)))
			}
			fmt.Fprintf(&down, "== %s %d: status %d\n%s", form, i+1, x.status, x.format(t))
			if x.status != http.StatusOK {
				break
			}
			if form == "plain" {
				replies = append(replies, x.raw)
			}
		}
	}
	return up.String(), down.String()
}

func (x *pairExchange) format(t *testing.T) string {
	t.Helper()
	text := shortened(x.body)
	if strings.HasPrefix(text, "{") {
		text = indented(t, text)
	}
	if x.dropped != "" {
		text = "dropped: " + x.dropped + "\n" + text
	}
	return strings.ReplaceAll(text, "\n\n", "\n")
}

// indented indents JSON, which does not change the order of members. It shortens long texts.
func indented(t *testing.T, body string) string {
	t.Helper()
	v := jsontext.Value(shortened(body))
	require.NoError(t, v.Indent(jsontext.WithIndent(" ")), body)
	return string(v) + "\n"
}

// shortened replaces long texts by their start and their length.
func shortened(body string) string {
	return longString.ReplaceAllStringFunc(body, func(s string) string { return fmt.Sprintf(`"%s... %d letters"`, s[1:21], len(s)-2) })
}
