package proxy_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy"
)

const (
	full     = keyauthv1.Capture_CAPTURE_FULL
	redacted = keyauthv1.Capture_CAPTURE_REDACTED
	none     = keyauthv1.Capture_CAPTURE_NONE
)

// capturingWire is a wire that captures up to a limit, with one key per capture setting.
type capturingWire struct {
	*wire
	keys map[keyauthv1.Capture]string
}

func newCapturingWire(t *testing.T, limit int64) *capturingWire {
	w := newWire(t, func(c *proxy.Config) { c.CaptureBytes = limit })
	k := &capturingWire{wire: w, keys: map[keyauthv1.Capture]string{}}
	for _, c := range []keyauthv1.Capture{full, redacted, none} {
		k.keys[c] = w.keyauth.add(&keyauthv1.KeySettings{Capture: c})
	}
	return k
}

func (k *capturingWire) with(c keyauthv1.Capture) *capturingWire {
	k.key = k.keys[c]
	return k
}

// The capture header can make the setting stricter, never looser.
func TestCaptureSettings(t *testing.T) {
	k := newCapturingWire(t, 1<<10)
	tests := []struct {
		key    keyauthv1.Capture
		header string
		want   keyauthv1.Capture
	}{
		{full, "", full},
		{full, "full", full},
		{full, "redacted", redacted},
		{full, "None", none},
		{full, "nothing", none},
		{redacted, "", redacted},
		{redacted, "full", redacted},
		{redacted, "none", none},
		{none, "", none},
		{none, "full", none},
		{none, "redacted", none},
	}
	for _, tt := range tests {
		a := k.with(tt.key).ask(chatPath, `{"model":"small","messages":[{"role":"user","content":"I am a@b.io"}]}`, "X-Signalbox-Capture: "+tt.header)
		c := a.record.GetContent()
		name := tt.key.String() + " " + tt.header
		switch tt.want {
		case full:
			require.Contains(t, string(c.GetRequest()), "I am a@b.io", name)
			require.Equal(t, recordv1.Capture_CAPTURE_FULL, a.record.GetCapture())
		case redacted:
			require.Equal(t, `{"model":"small","messages":[{"role":"user","content":"I am [redacted:email]"}]}`, string(c.GetRequest()), name)
			require.EqualValues(t, len(c.GetRequest()), c.GetRequestBytes())
			require.NotEmpty(t, c.GetResponse())
			require.EqualValues(t, len(c.GetResponse()), c.GetResponseBytes())
			require.Equal(t, recordv1.Capture_CAPTURE_REDACTED, a.record.GetCapture())
		default:
			require.Nil(t, c, name)
			require.Equal(t, recordv1.Capture_CAPTURE_NONE, a.record.GetCapture())
		}
	}
}

// A secret that is split over several events is found, in the text and in the arguments of a tool
// call. The operator's own pattern applies too.
func TestARedactedStreamIsRedactedAsAWhole(t *testing.T) {
	k := newCapturingWire(t, 4<<10)
	a := k.with(redacted).told(scripted.Events(
		chunk(`{"role":"assistant","content":"write to ca"}`, "null"), chunk(`{"content":"nary@exam"}`, "null"), chunk(`{"content":"ple.com, KD-12"}`, "null"),
		chunk(`{"content":"3456 of course"}`, "null"),
		chunk(`{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\"mail\":\"canary\\u00"}}]}`, "null"),
		chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"40example.com\"}"}}]}`, "null"), chunk(`{}`, `"tool_calls"`), "[DONE]"), stream(""))
	require.Contains(t, a.body, `nary@exam`, "the client gets the whole text")
	kept := string(a.record.GetContent().GetResponse())
	require.Contains(t, kept, `"content":"write to [redacted:email], [redacted:customer-no] of course"`)
	require.Contains(t, kept, `"arguments":"{\"mail\":\"[redacted:email]\"}"`)
	require.NotContains(t, kept, "canary")
}

// A cut leaves no part of a secret. A response that was not captured completely is not stored at all.
func TestRedactedContentIsCutBehindItsSecrets(t *testing.T) {
	const limit = 300
	k := newCapturingWire(t, limit)
	for at := 180; at < 330; at += 5 {
		secret := strings.Repeat("x ", at/2) + "canary.person@example.com" + strings.Repeat(" y", 3000)
		a := k.with(redacted).told(scripted.Events(chunk(`{"content":"`+secret+`"}`, "null"), chunk(`{}`, `"stop"`), "[DONE]"),
			`{"model":"small","stream":true,"messages":[{"role":"user","content":"`+secret+`"}]}`)
		c := a.record.GetContent()
		require.NotContains(t, string(c.GetRequest()), "cana", "at %d", at)
		require.InDelta(t, limit, len(c.GetRequest()), 20)
		require.Greater(t, c.GetRequestBytes(), int64(6000))
		require.Empty(t, c.GetResponse())
		require.Greater(t, c.GetResponseBytes(), int64(6000))
	}
}

// A request above the limit keeps its beginning and its end, and no character is cut. A request of
// exactly the limit is stored completely.
func TestALongRequestKeepsItsBeginningAndItsEnd(t *testing.T) {
	const limit = 8 << 10
	k := newCapturingWire(t, limit).with(full)
	request := func(bytes int) string {
		const head, tail = `{"model":"small","messages":[{"role":"user","content":"`, `"}]}`
		fill := bytes - len(head) - len(tail)
		return head + strings.Repeat("🚂", fill/4) + strings.Repeat("x", fill%4) + tail
	}
	c := k.ask(chatPath, request(limit)).record.GetContent()
	require.Equal(t, request(limit), string(c.GetRequest()))
	for bytes := limit + 1; bytes <= limit+4; bytes++ {
		body := request(bytes)
		c := k.ask(chatPath, body).record.GetContent()
		require.EqualValues(t, bytes, c.GetRequestBytes())
		kept := string(c.GetRequest())
		require.True(t, utf8.ValidString(kept))
		start, rest, _ := strings.Cut(kept, "\n… ")
		missing, end, _ := strings.Cut(rest, " bytes are not stored …\n")
		require.True(t, strings.HasPrefix(body, start))
		require.True(t, strings.HasSuffix(body, end))
		require.InDelta(t, limit/16, len(start), 3)
		require.InDelta(t, 3*limit/16, len(end), 3)
		require.Equal(t, strconv.Itoa(bytes-len(start)-len(end)), missing)
	}
	c = k.with(redacted).ask(chatPath, request(2*limit)).record.GetContent()
	require.NotContains(t, string(c.GetRequest()), "not stored", "redaction reads a text from its beginning")
	require.InDelta(t, limit, len(c.GetRequest()), 8)
}

// An error may quote the request, both the provider's error and ours.
func TestErrorsAreCapturedLikeContent(t *testing.T) {
	k := newCapturingWire(t, 1<<10)
	for capture, want := range map[keyauthv1.Capture]string{full: "bad KD-123456 of a@b.io", redacted: "bad [redacted:customer-no] of [redacted:email]", none: ""} {
		a := k.with(capture).told(scripted.JSON(http.StatusBadRequest, `{"error":{"message":"bad KD-123456 of a@b.io"}}`), plain(""))
		a.refused(t, http.StatusBadRequest, "PROVIDER_BAD_REQUEST")
		require.Contains(t, a.body, "KD-123456")
		require.Equal(t, want, a.record.GetError())
		require.Equal(t, "PROVIDER_BAD_REQUEST", a.record.GetCode())
	}
}

// An unknown model name can be any text.
func TestUnknownModelsAreCapturedLikeContent(t *testing.T) {
	k := newCapturingWire(t, 1<<10)
	for capture, want := range map[keyauthv1.Capture]string{full: "my [redacted:key]", redacted: "my [redacted:key]", none: ""} {
		a := k.with(capture).ask(chatPath, strings.Replace(plain(""), "small", "my sk-abcdef1234567890", 1))
		a.refused(t, http.StatusNotFound, "MODEL_NOT_FOUND")
		require.Equal(t, want, a.record.GetRequestedModel())
		require.Equal(t, capture == full, strings.Contains(a.record.String(), "abcdef"), "the message quotes it")
	}
	a := k.with(none).ask(chatPath, plain(""))
	require.Equal(t, "small", a.record.GetRequestedModel())
}

// An id from a client or a provider can be any text.
func TestIDsAreCapturedLikeContent(t *testing.T) {
	k := newCapturingWire(t, 1<<10)
	long := strings.Repeat("id \u00e4\u00a0", 100)
	tests := []struct {
		give                 string
		full, redacted, none string
	}{
		{"req_01.ab:c-D", "req_01.ab:c-D", "req_01.ab:c-D", "req_01.ab:c-D"},
		{"for a@b.io", "for a@b.io", "for [redacted:email]", ""},
		{"two words", "two words", "two words", ""},
		{"sk-abcdef1234567890", "sk-abcdef1234567890", "[redacted:key]", ""},
		{"KD-123456", "KD-123456", "[redacted:customer-no]", ""},
		{strings.Repeat("x-", 64), strings.Repeat("x-", 64), strings.Repeat("x-", 64), strings.Repeat("x-", 64)},
		{strings.Repeat("x-", 65), strings.Repeat("x-", 64), strings.Repeat("x-", 64), ""},
		{strings.Repeat("x ", 60) + "canary@example.com", strings.Repeat("x ", 60) + "canary@e", strings.Repeat("x ", 60) + "[redacte", ""},
		{long, strings.Repeat("id \u00e4", 25) + "id ", strings.Repeat("id \u00e4", 25) + "id ", ""},
	}
	for _, tt := range tests {
		for capture, want := range map[keyauthv1.Capture]string{full: tt.full, redacted: tt.redacted, none: tt.none} {
			k.up.Script(scripted.JSON(http.StatusOK, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`).WithHeader("X-Request-Id", tt.give))
			a := k.with(capture).ask(chatPath, plain(""), "X-Request-Id: "+tt.give)
			require.Equal(t, http.StatusOK, a.status)
			require.Equal(t, want, a.record.GetClientRequestId(), "%s %s", capture, tt.give)
			require.Equal(t, want, a.record.GetAttempts()[0].GetUpstreamRequestId(), "%s %s", capture, tt.give)
		}
	}
}
