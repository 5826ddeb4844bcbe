package conversationtest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// formatGolden formats the exchanges for reading: the exact calls to the vendor, and the
// results that the client got.
func (exchanges transcript) formatGolden(t *testing.T, form string) string {
	t.Helper()
	var b strings.Builder
	for i, x := range exchanges {
		name := form
		if i > 0 {
			name = fmt.Sprintf("%s, turn %d", form, i+1)
		}
		for _, s := range x.sent {
			fmt.Fprintf(&b, "== %s: %s gets\n%s\n", name, s.path, s.body)
		}
		if len(x.dropped) > 0 {
			fmt.Fprintf(&b, "== %s: dropped\n%s\n", name, strings.Join(x.dropped, "\n"))
		}
		fmt.Fprintf(&b, "== %s: the client gets\n%s", name, x.formatResult(t))
	}
	return b.String()
}

// formatResult formats the result that the client got. It shows only the start and the end
// of a long stream.
func (x *exchange) formatResult(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(abbreviateFrames(string(x.frames)))
	switch {
	case x.err != nil:
		e := apperr.From(x.err)
		if x.cancels {
			// The header with the id may arrive before or after the client cancels.
			shown := *e
			shown.Details = maps.Clone(e.Details)
			delete(shown.Details, "upstream_request_id")
			e = &shown
		}
		b.WriteString(indentJSON(t, e.Body(apperr.Options{RequestID: responseID})))
		if e.RetryAfter > 0 {
			fmt.Fprintf(&b, "after %s\n", e.RetryAfter)
		}
	case x.frames == nil:
		b.WriteString(indentJSON(t, x.response))
	}
	return b.String()
}

// shownFrames is how many frames of a long stream are shown, half of them from each end.
const shownFrames = 12

// abbreviateFrames removes the start that all frames share, and the middle of a long
// stream.
func abbreviateFrames(frames string) string {
	frames = strings.ReplaceAll(strings.ReplaceAll(frames, frameHead, "data: {.., "), "\n\n", "\n")
	all := strings.SplitAfter(frames, "\n")
	if len(all) <= 2*shownFrames {
		return frames
	}
	hidden := all[shownFrames/2 : len(all)-shownFrames/2]
	note := fmt.Sprintf("... %d frames, %s\n", len(hidden), digest(strings.Join(hidden, "")))
	return strings.Join(all[:shownFrames/2], "") + note + strings.Join(all[len(all)-shownFrames/2:], "")
}

func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16] }

var (
	longNumbers = regexp.MustCompile(`\[(?:-?[0-9.eE+-]+,){8,}[^\]]*\]`)
	longText    = regexp.MustCompile(`"[A-Za-z0-9+/= ]{512,}"`)
)

// indentJSON indents JSON for reading. It shortens long texts and vectors, so that the
// golden files stay small and do not depend on the last digits of vectors.
func indentJSON(t *testing.T, body []byte) string {
	t.Helper()
	body = longNumbers.ReplaceAllFunc(body, func(v []byte) []byte {
		return fmt.Appendf(nil, `["%s...","%d numbers"]`, v[1:7], 1+bytes.Count(v, []byte{','}))
	})
	body = longText.ReplaceAllFunc(body, func(v []byte) []byte {
		return fmt.Appendf(nil, `"%s... %d letters, %s"`, v[1:9], len(v)-2, digest(string(v)))
	})
	v := jsontext.Value(body)
	require.NoError(t, v.Indent(jsontext.WithIndent("  ")), "%s", body)
	return string(v) + "\n"
}
