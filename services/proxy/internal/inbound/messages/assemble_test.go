package messages_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// assembled is a block that a client builds from the events of a stream.
type assembled struct {
	kind, id, name, text, thinking, signature, input string
}

// assembleContent returns the content that a client sends back after it has read a stream.
func assembleContent(t *testing.T, stream []byte) string {
	t.Helper()
	var blocks []assembled
	for line := range bytes.Lines(stream) {
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok {
			continue
		}
		switch jsonscan.DecodeText(jsonscan.Member(data, "type")) {
		case "content_block_start":
			b := jsonscan.Member(data, "content_block")
			blocks = append(blocks, assembled{
				kind: jsonscan.DecodeText(jsonscan.Member(b, "type")), id: jsonscan.DecodeText(jsonscan.Member(b, "id")), name: jsonscan.DecodeText(jsonscan.Member(b, "name")),
			})
		case "content_block_delta":
			b, delta := &blocks[len(blocks)-1], jsonscan.Member(data, "delta")
			b.text += jsonscan.DecodeText(jsonscan.Member(delta, "text"))
			b.thinking += jsonscan.DecodeText(jsonscan.Member(delta, "thinking"))
			b.signature += jsonscan.DecodeText(jsonscan.Member(delta, "signature"))
			b.input += jsonscan.DecodeText(jsonscan.Member(delta, "partial_json"))
		}
	}
	content := []byte{'['}
	for i, b := range blocks {
		if i > 0 {
			content = append(content, ',')
		}
		content = b.appendJSON(content)
	}
	content = append(content, ']')
	require.True(t, jsonscan.Valid(content), "%s", content)
	return string(content)
}

func (b assembled) appendJSON(dst []byte) []byte {
	member := func(name, text string) {
		dst = jsonscan.AppendMember(dst, []byte(`"`+name+`"`), jsonscan.AppendQuoted(nil, text))
	}
	dst = append(jsonscan.AppendQuoted(append(dst, `{"type":`...), b.kind), ""...)
	switch b.kind {
	case "text":
		member("text", b.text)
	case "thinking":
		member("thinking", b.thinking)
		member("signature", b.signature)
	case "tool_use":
		member("id", b.id)
		member("name", b.name)
		if b.input == "" || !jsonscan.Valid([]byte(b.input)) {
			b.input = "{}"
		}
		dst = append(append(dst, `,"input":`...), b.input...)
	}
	return append(dst, '}')
}
