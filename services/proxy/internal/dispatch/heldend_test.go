package dispatch_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/gemini"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/messages"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/responses"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// native is an upstream that speaks every protocol.
type native struct{ script }

func (native) Speaks(requestbody.Protocol) bool { return true }

func (n native) CallNative(ctx context.Context, call provider.Call) (*provider.Response, error) {
	return n.script(ctx, call)
}

type nativeUpstream struct {
	upstreams
	native
}

func (u nativeUpstream) ChatCompleter(string) (provider.ChatCompleter, bool) { return u.native, true }

// The caller sends the end of a relayed response, after it has written the record. Every
// earlier event is sent as soon as it arrives.
func TestOnlyTheEndOfARelayedResponseIsHeld(t *testing.T) {
	const (
		start    = `{"type":"message_start","message":{"usage":{"input_tokens":1}}}`
		text     = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`
		stop     = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}`
		last     = `{"type":"message_stop"}`
		ping     = `{"type":"ping"}`
		delta    = `{"type":"response.output_text.delta","delta":"a"}`
		complete = `{"type":"response.completed","response":{"output":[]}}`
		parts    = `{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}`
		finished = `{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}`
		counts   = `{"usageMetadata":{"promptTokenCount":1}}`
	)
	for name, tt := range map[string]struct {
		protocol inbound.Protocol
		events   []string
		// sent is the number of events in each write. held is the number of events after that.
		sent []int
		held int
		code apperr.Code
	}{
		"messages":                  {messages.Protocol{}, []string{start, text, text, ping, stop, last}, []int{2, 1, 1}, 2, ""},
		"messages, event after":     {messages.Protocol{}, []string{start, text, stop, last, ping}, []int{2}, 3, ""},
		"messages, invalid event":   {messages.Protocol{}, []string{start, text, stop, `{`}, []int{2, 1}, 0, apperr.ProviderInterrupted},
		"responses":                 {responses.Protocol{}, []string{delta, delta, complete}, []int{1, 1}, 1, ""},
		"gemini":                    {gemini.Protocol{}, []string{parts, parts, finished}, []int{1, 1}, 1, ""},
		"gemini, usage after":       {gemini.Protocol{}, []string{parts, finished, counts}, []int{1}, 2, ""},
		"gemini, always finished":   {gemini.Protocol{}, []string{finished, finished, finished}, []int{1, 1}, 1, ""},
		"gemini, another candidate": {gemini.Protocol{}, []string{finished, strings.Replace(parts, `{"content"`, `{"index":1,"content"`, 1)}, []int{2}, 0, apperr.ProviderInterrupted},
	} {
		t.Run(name, func(t *testing.T) {
			upstream := func(ctx context.Context, _ provider.Call) (*provider.Response, error) {
				return &provider.Response{Status: 200, Events: &bursts{events{ctx: ctx, end: io.EOF, payloads: apart(tt.events)}}}, nil
			}
			j := job(t, streamBody, nil)
			j.Providers, j.Protocol = nativeUpstream{native: native{upstream}}, tt.protocol
			out := &writes{}
			res := dispatch.Run(t.Context(), j, out)
			require.Equal(t, tt.code, apperr.CodeOf(res.Err), "%v", res.Err)
			var sent []int
			for _, w := range out.all {
				sent = append(sent, strings.Count(w, "data: "))
			}
			require.Equal(t, tt.sent, sent)
			require.Equal(t, tt.held, strings.Count(string(res.FinalFrames), "data: "))
		})
	}
}

// apart returns the events with a pause between each two.
func apart(events []string) (payloads []string) {
	for _, e := range events {
		payloads = append(payloads, e, "")
	}
	return payloads
}
