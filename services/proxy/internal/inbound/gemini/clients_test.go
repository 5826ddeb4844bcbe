package gemini_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/gemini"
)

// The functions in this file split a stream like the official clients, which do not follow
// the rules of server-sent events. Each returns the JSON texts that the client decodes. All
// clients stop at the first error.

// splitLikePython reads lines. A line that is neither blank nor an event is part of a JSON text.
func splitLikePython(stream string) (texts []string) {
	pending, depth := "", 0
	for line := range strings.Lines(stream) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			texts = append(texts, data)
			continue
		}
		depth += strings.Count(line, "{") - strings.Count(line, "}")
		if pending += line; depth == 0 {
			texts = append(texts, pending)
			pending = ""
		}
	}
	return texts
}

// splitLikeGo splits at blank lines. A block that is not an event must be an error.
func splitLikeGo(stream string) (texts []string) {
	for block := range strings.SplitSeq(stream, "\n\n") {
		if block == "" {
			continue
		}
		prefix, data, _ := strings.Cut(block, ":")
		if prefix == "data" {
			texts = append(texts, data)
		} else {
			texts = append(texts, block)
		}
	}
	return texts
}

// splitLikeJavaScript gets the stream in the pieces in which it was written. A piece that is
// JSON as a whole is an error. Blocks that are not events are ignored.
func splitLikeJavaScript(pieces []string) (texts []string) {
	buffer := ""
	for _, piece := range pieces {
		if json.Valid([]byte(piece)) {
			texts = append(texts, piece)
			continue
		}
		buffer += piece
		for {
			block, rest, ok := strings.Cut(buffer, "\n\n")
			if !ok {
				break
			}
			buffer = rest
			if data, ok := strings.CutPrefix(strings.TrimSpace(block), "data:"); ok {
				texts = append(texts, data)
			}
		}
	}
	return texts
}

func untilError(texts []string) []string {
	for i, text := range texts {
		if strings.HasPrefix(strings.TrimSpace(text), `{"error":`) {
			return texts[:i+1]
		}
	}
	return texts
}

// Every official client understands a stream with keep-alives that breaks: all see the text,
// and get the error as JSON with a code from 400 on.
func TestOfficialClientsReadTheStream(t *testing.T) {
	p := gemini.Protocol{}
	tr, err := p.ToChat(parse(t, askThoughts, true))
	require.NoError(t, err)
	s := tr.NewStream(shown)
	keepAlive := string(p.KeepAlive())
	pieces := []string{keepAlive}
	for _, text := range []string{"a", "b"} {
		frame, err := s.AppendChunk(nil, []byte(`{"choices":[{"index":0,"delta":{"content":"`+text+`"}}]}`))
		require.NoError(t, err)
		pieces = append(pieces, string(frame), keepAlive, keepAlive)
	}
	broken := apperr.New(apperr.ProviderInterrupted, "the stream ended early")
	pieces = append(pieces, string(s.AppendError(nil, broken, apperr.Options{})))
	stream := strings.Join(pieces, "")
	for name, texts := range map[string][]string{
		"python": splitLikePython(stream), "go": splitLikeGo(stream), "javascript": splitLikeJavaScript(pieces),
		"javascript, all at once": splitLikeJavaScript([]string{stream}),
	} {
		texts = untilError(texts)
		require.Len(t, texts, 3, name)
		var last frame
		require.NoError(t, json.Unmarshal([]byte(texts[2]), &last), name)
		require.NotNil(t, last.Error, name)
		require.GreaterOrEqual(t, last.Error.Code, 400, name)
		require.Equal(t, "PROVIDER_STREAM_INTERRUPTED", last.Code)
		for i, want := range []string{"a", "b"} {
			var f frame
			require.NoError(t, json.Unmarshal([]byte(texts[i]), &f), "%s: %s", name, texts[i])
			require.Equal(t, want, f.Candidates[0].Content.Parts[0]["text"], name)
		}
	}
}

func TestKeepAliveOfArrays(t *testing.T) {
	p := gemini.Protocol{Array: true}
	tr, err := p.ToChat(parse(t, askThoughts, true))
	require.NoError(t, err)
	s := tr.NewStream(shown)
	out := p.KeepAlive()
	for range 2 {
		out, err = s.AppendChunk(out, []byte(`{"choices":[{"index":0,"delta":{"content":"a"}}]}`))
		require.NoError(t, err)
		out = append(out, p.KeepAlive()...)
	}
	checkStream(t, string(s.AppendEnd(out)), true)
}

// A stream that breaks is a valid array, too, even if nothing was sent before.
func TestErrorsInArrays(t *testing.T) {
	for _, chunks := range []int{0, 1} {
		tr, err := gemini.Protocol{Array: true}.ToChat(parse(t, askThoughts, true))
		require.NoError(t, err)
		s := tr.NewStream(shown)
		var out []byte
		for range chunks {
			out, err = s.AppendChunk(out, []byte(`{"choices":[{"index":0,"delta":{"content":"a"}}]}`))
			require.NoError(t, err)
		}
		out = s.AppendError(out, apperr.New(apperr.ProviderTimeout, "late"), apperr.Options{})
		require.Len(t, splitFrames(t, string(out), true), chunks+1)
		checkStream(t, string(out), true)
	}
}
