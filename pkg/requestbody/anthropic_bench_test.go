package requestbody_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/signalbox/signalbox/pkg/requestbody"
)

// agentTurns returns a conversation of an agent with tool calls, once in the format of
// Messages and once as a chat. Each has about the given size.
func agentTurns(size int) (messages, chat []byte) {
	line := strings.Repeat(`The signal at the junction shows clear.\n`, 50)
	var a, b strings.Builder
	a.WriteString(`{"model":"auto","max_tokens":256,"stream":true,"system":[{"type":"text","text":"be brief"}],"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}`)
	b.WriteString(`{"model":"auto","max_tokens":256,"stream":true,"messages":[{"role":"system","content":"be brief"},{"role":"user","content":[{"type":"text","text":"hi"}]}`)
	for i := 0; a.Len() < size; i++ {
		fmt.Fprintf(&a, `,{"role":"assistant","content":[{"type":"text","text":"next"},{"type":"tool_use","id":"toolu_%d","name":"Read","input":{"path":"a.go","offset":%d}}]}`, i, i)
		fmt.Fprintf(&a, `,{"role":"user","content":[{"tool_use_id":"toolu_%d","type":"tool_result","content":"%s"}]}`, i, line)
		fmt.Fprintf(&b, `,{"role":"assistant","content":"next","tool_calls":[{"id":"toolu_%d","type":"function","function":{"name":"Read","arguments":"{\"path\":\"a.go\",\"offset\":%d}"}}]}`, i, i)
		fmt.Fprintf(&b, `,{"role":"tool","tool_call_id":"toolu_%d","content":"%s"}`, i, line)
	}
	return []byte(a.String() + `]}`), []byte(b.String() + `]}`)
}

func benchmarkBody(b *testing.B, body []byte, parse func([]byte) (*requestbody.Request, error)) {
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parse(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseMessages500KB(b *testing.B) {
	messages, _ := agentTurns(500 << 10)
	benchmarkBody(b, messages, requestbody.ParseMessages)
}

func BenchmarkParseAgentChat500KB(b *testing.B) {
	_, chat := agentTurns(500 << 10)
	benchmarkBody(b, chat, requestbody.ParseChat)
}

// Parsing a longer conversation does not allocate more.
func TestMessagesDoNotAllocatePerMessage(t *testing.T) {
	count := func(size int) float64 {
		body, _ := agentTurns(size)
		return testing.AllocsPerRun(20, func() { _, _ = requestbody.ParseMessages(body) })
	}
	if short, long := count(20<<10), count(500<<10); long > short+2 {
		t.Errorf("%g allocations for 20 KB, %g for 500 KB", short, long)
	}
}
