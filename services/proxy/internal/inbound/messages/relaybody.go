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
		b.textBytes = countContent(v)
	}
}

// countContent returns the approximate length of the text of content blocks.
func countContent(content []byte) (n int) {
	for block := range jsonscan.Elements(content) {
		for name, v := range jsonscan.Members(block) {
			switch string(name) {
			case "text", "thinking":
				n += jsonscan.DecodedLen(v)
			case "input":
				n += len(v)
			}
		}
	}
	return n
}
