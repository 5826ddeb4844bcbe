package requestbody

import "github.com/signalbox/signalbox/pkg/jsonscan"

var streamOptionNames = []string{"include_usage", "include_obfuscation"}

func (p *parser) readStreamOptions() {
	if p.skipNull() {
		return
	}
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(errInvalidParam("stream_options", "must be an object"))
		return
	}
	for p.NextMember() {
		switch string(p.Name()) {
		case "include_usage":
			p.req.IncludeUsage = p.parseBool("stream_options.include_usage", p.Value())
		case "include_obfuscation":
			p.parseBool("stream_options.include_obfuscation", p.Value())
		default:
			p.readUnknownMember(streamOptionNames)
		}
	}
}
