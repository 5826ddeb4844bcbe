package messages

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// relayedBody holds what the relay needs from a complete response.
type relayedBody struct {
	in                  jsonscan.Reader
	usage               nativeUsage
	model               valueSpan
	textBytes           int
	hasContent, isError bool
}

// RelayBody reads a complete response and replaces its model name.
func (Protocol) RelayBody(body []byte, o inbound.Options) (normalize.Response, error) {
	var b relayedBody
	b.in.Reset(body, true)
	if enters(&b.in, jsonscan.BeginObject) {
		for b.in.NextMember() {
			b.readMember(string(b.in.Name()))
		}
	}
	response := b.usage.toResponse()
	switch {
	case b.in.CheckEnd() != nil:
		return normalize.Response{}, upstreamerror.InvalidResponse("not valid JSON")
	case b.isError:
		return response, upstreamerror.ParseInBand(body)
	case !b.hasContent:
		return response, upstreamerror.InvalidResponse("no content")
	}
	response.OutputTextBytes = b.textBytes
	response.Body = appendWithModel(make([]byte, 0, len(body)+len(o.Model)), body, b.model, o.Model)
	return response, nil
}

func (b *relayedBody) readMember(name string) {
	v := b.in.Value()
	switch name {
	case "model":
		b.model = valueSpan{b.in.Offset() - len(v), b.in.Offset()}
	case "usage":
		b.usage.read(v)
	case "error":
		b.isError = !jsonscan.IsEmptyOrFalse(v)
	case "content":
		b.hasContent = len(v) > 0 && v[0] == '['
		b.readContent(v)
	}
}

// readContent reads content blocks and counts the approximate length of their text.
func (b *relayedBody) readContent(content []byte) {
	for block := range jsonscan.Elements(content) {
		var kind, tool []byte
		for name, v := range jsonscan.Members(block) {
			switch string(name) {
			case "type":
				kind = v
			case "name":
				tool = v
			case "text", "thinking":
				b.textBytes += jsonscan.DecodedLen(v)
			case "input":
				b.textBytes += len(v)
			}
		}
		b.usage.noteServerTool(kind, tool)
	}
}
