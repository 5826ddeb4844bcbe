package gemini_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/testkit/golden"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/gemini"
)

var shown = inbound.Options{ID: "req1", Created: 1700000000, Model: "our-model"}

// indent indents JSON and keeps the order of members.
func indent(t *testing.T, text []byte) string {
	t.Helper()
	v := jsontext.Value(text)
	require.NoError(t, v.Indent(jsontext.WithIndent("  ")), "%s", text)
	return string(v) + "\n"
}

func parse(t testing.TB, body string, stream bool) *requestbody.Request {
	t.Helper()
	r, err := requestbody.ParseGenerateContent([]byte(body), "m", stream)
	require.NoError(t, err, body)
	return r
}

// translate returns the translation of a body. Every translation is a valid chat body.
func translate(t testing.TB, body string) *inbound.Translation {
	t.Helper()
	tr, err := gemini.Protocol{}.ToChat(parse(t, body, false))
	require.NoError(t, err, body)
	_, err = requestbody.ParseChat(tr.Body)
	require.NoError(t, err, "%s", tr.Body)
	return tr
}

func TestRequests(t *testing.T) {
	for _, c := range golden.ReadCases(t, "testdata/requests") {
		t.Run(c.Name, func(t *testing.T) {
			tr := translate(t, c.Input)
			c.Check(t, indent(t, tr.Body)+"dropped: "+strings.Join(tr.Dropped, ", ")+"\n")
		})
	}
}

const askThoughts = `{"contents":[{"parts":[{"text":"q"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`

func TestResponses(t *testing.T) {
	for _, c := range golden.ReadCases(t, "testdata/responses") {
		t.Run(c.Name, func(t *testing.T) {
			body, err := translate(t, askThoughts).FromChat([]byte(c.Input), shown)
			require.NoError(t, err)
			require.NotContains(t, string(body), "\n")
			c.Check(t, indent(t, body))
		})
	}
}

func TestStreams(t *testing.T) {
	for _, c := range golden.ReadCases(t, "testdata/streams") {
		t.Run(c.Name, func(t *testing.T) {
			for _, array := range []bool{false, true} {
				out, err := playStream(t, array, strings.TrimSpace(c.Input))
				require.NoError(t, err)
				checkStream(t, out, array)
				if !array {
					c.Check(t, out)
				}
			}
		})
	}
}

// playStream translates chunks, one per line.
func playStream(t testing.TB, array bool, chunks string) (string, error) {
	t.Helper()
	tr, err := gemini.Protocol{Array: array}.ToChat(parse(t, askThoughts, true))
	require.NoError(t, err)
	s := tr.NewStream(shown)
	var out []byte
	for line := range strings.Lines(chunks) {
		if out, err = s.AppendChunk(out, []byte(line)); err != nil {
			return string(s.AppendError(out, apperr.From(err), apperr.Options{})), err
		}
	}
	return string(s.AppendEnd(out)), nil
}

func TestRelays(t *testing.T) {
	for _, c := range golden.ReadCases(t, "testdata/relays") {
		t.Run(c.Name, func(t *testing.T) {
			c.Check(t, playRelay(t, false, strings.TrimSpace(c.Input)))
			array := playRelay(t, true, strings.TrimSpace(c.Input))
			array, _, _ = strings.Cut(array, "started: ")
			require.True(t, json.Valid([]byte(array)), array)
		})
	}
}

// playRelay relays events, one per line, and describes the state after the last one.
func playRelay(t testing.TB, array bool, events string) string {
	t.Helper()
	r := gemini.Protocol{Array: array}.NewRelay(shown)
	var out []byte
	var err error
	for line := range strings.Lines(events) {
		if out, err = r.AppendEvent(out, []byte(strings.TrimSpace(line))); err != nil {
			break
		}
	}
	if err == nil {
		out, err = r.Finish(out)
	}
	if err != nil {
		out = r.AppendError(out, apperr.From(err), apperr.Options{})
	}
	v := r.ReportedValues()
	return fmt.Sprintf("%sstarted: %t, finished: %t, complete usage: %t\nusage: %+v, output unknown: %t, discrepancy: %d, text: %d\n",
		out, r.HasStarted(), r.IsFinished(), r.HasCompleteUsage(), v.Usage, v.OutputUnknown, v.UsageDiscrepancy, r.OutputTextBytes())
}
