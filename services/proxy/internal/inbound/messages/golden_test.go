package messages_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/testkit/golden"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/messages"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

var options = inbound.Options{ID: "01abc", Created: 1, Model: "gpt-5"}

// forEachCase runs f for every archive in a folder of testdata. f returns the result.
func forEachCase(t *testing.T, folder string, f func(t *testing.T, input []byte) string) {
	t.Helper()
	for _, c := range golden.ReadCases(t, filepath.Join("testdata", folder)) {
		t.Run(c.Name, func(t *testing.T) { c.Check(t, f(t, []byte(c.Input))) })
	}
}

func indentJSON(t *testing.T, body []byte) string {
	t.Helper()
	v := jsontext.Value(bytes.Clone(body))
	require.NoError(t, v.Indent(), "%s", body)
	return string(v) + "\n"
}

func formatError(err error) string {
	e := apperr.From(err)
	param, _ := e.Details["param"].(string)
	return string(e.Code) + " " + param + "\n" + e.Message + "\n"
}

func parse(t testing.TB, body []byte) *requestbody.Request {
	t.Helper()
	r, err := requestbody.ParseMessages(body)
	require.NoError(t, err)
	return r
}

// translate returns the chat of a Messages body.
func translate(t *testing.T, body []byte) (*inbound.Translation, error) {
	t.Helper()
	r := parse(t, body)
	before := bytes.Clone(body)
	translation, err := messages.Protocol{}.ToChat(r)
	require.Equal(t, before, body, "the client's body stays as it is")
	if err != nil {
		require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err))
		return nil, err
	}
	chat, err := requestbody.ParseChat(translation.Body)
	require.NoError(t, err, "%s", translation.Body)
	require.Equal(t, r.Stream, chat.Stream)
	require.Equal(t, r.Stream, chat.IncludeUsage)
	require.Equal(t, r.MaxOutputTokens, chat.MaxOutputTokens)
	return translation, nil
}

func TestRequests(t *testing.T) {
	forEachCase(t, "requests", func(t *testing.T, body []byte) string {
		translation, err := translate(t, body)
		if err != nil {
			return formatError(err)
		}
		return "dropped: " + strings.Join(translation.Dropped, ", ") + "\n" + indentJSON(t, translation.Body)
	})
}

func TestResponses(t *testing.T) {
	forEachCase(t, "responses", func(t *testing.T, input []byte) string {
		translation, err := translate(t, jsonscan.Member(input, "request"))
		require.NoError(t, err)
		out, err := translation.FromChat(jsonscan.Member(input, "body"), options)
		if err != nil {
			return formatError(err)
		}
		return indentJSON(t, out)
	})
}

// translateStream returns the events for the chunks of a chat.
func translateStream(t *testing.T, request []byte, chunks ...[]byte) ([]byte, error) {
	t.Helper()
	translation, err := translate(t, request)
	require.NoError(t, err)
	stream := translation.NewStream(options)
	var out []byte
	for _, chunk := range chunks {
		if out, err = stream.AppendChunk(out, chunk); err != nil {
			return out, err
		}
	}
	return stream.AppendEnd(out), nil
}

func splitLines(text []byte) [][]byte {
	return bytes.Split(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\n'})
}

func TestStreams(t *testing.T) {
	forEachCase(t, "streams", func(t *testing.T, input []byte) string {
		lines := splitLines(input)
		out, err := translateStream(t, lines[0], lines[1:]...)
		if err != nil {
			return formatError(err)
		}
		requireGrammar(t, out)
		return string(out)
	})
}

func TestRelays(t *testing.T) {
	forEachCase(t, "relays", func(t *testing.T, input []byte) string {
		relay := messages.Protocol{}.NewRelay(options)
		var out []byte
		var err error
		for _, event := range splitLines(input) {
			if out, err = relay.AppendEvent(out, event); err != nil {
				break
			}
		}
		if err == nil {
			out, err = relay.Finish(out)
		}
		text := string(out)
		if err != nil {
			text += formatError(err)
		} else {
			requireGrammar(t, out)
		}
		values := relay.ReportedValues()
		return text + fmt.Sprintf("started: %t, finished: %t, complete usage: %t, text: %d\n", relay.HasStarted(), relay.IsFinished(), relay.HasCompleteUsage(), relay.OutputTextBytes()) +
			formatUsage(values)
	})
}

func formatUsage(r normalize.Response) string {
	if r.Usage == nil {
		return "no usage\n"
	}
	return fmt.Sprintf("usage: %+v, output unknown: %t, unpriced: %v\n", *r.Usage, r.OutputUnknown, r.Unpriced)
}
