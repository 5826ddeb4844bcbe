package responses_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/responses"
)

func BenchmarkToChatAgent500KB(b *testing.B) {
	var items strings.Builder
	items.WriteString(`{"role":"user","content":"hi"}`)
	for i := 0; items.Len() < 500<<10; i++ {
		fmt.Fprintf(&items, `,{"type":"function_call","id":"fc_%d","call_id":"call_%d","name":"shell","arguments":"{\"command\":[\"ls\"]}","status":"completed"}`, i, i)
		fmt.Fprintf(&items, `,{"type":"function_call_output","call_id":"call_%d","output":"%s"}`, i, strings.Repeat(`total 4 drwxr-xr-x\n`, 80))
	}
	r, err := requestbody.ParseResponses([]byte(`{"model":"m","input":[` + items.String() + `]}`))
	require.NoError(b, err)
	b.SetBytes(int64(len(r.Body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (responses.Protocol{}).ToChat(r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRelayDelta(b *testing.B) {
	r := responses.Protocol{}.NewRelay(options)
	payload := []byte(delta)
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		var err error
		if dst, err = r.AppendEvent(dst[:0], payload); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStreamDelta(b *testing.B) {
	r, err := requestbody.ParseResponses([]byte(`{"model":"m","input":"x","stream":true}`))
	require.NoError(b, err)
	translation, err := responses.Protocol{}.ToChat(r)
	require.NoError(b, err)
	st := translation.NewStream(options)
	payload := []byte(`{"id":"chat","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"hello"},"logprobs":null,"finish_reason":null}],"usage":null}`)
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		if dst, err = st.AppendChunk(dst[:0], payload); err != nil {
			b.Fatal(err)
		}
	}
}
