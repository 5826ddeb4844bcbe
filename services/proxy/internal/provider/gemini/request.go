package gemini

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// draft is a request in the making.
type draft struct {
	call provider.Call
	wire catalog.Wire
	// Members of the client's that are written when all are known.
	messages, tools, functions, choice, functionCall jsontext.Value
	format, nativeConfig, nativeTools                jsontext.Value

	conversation
	config settings
	replay replaying
	// rest has top-level members that are Google's own already.
	rest    out
	dropped []string
	err     error
}

// chatRequest is the body of a generateContent call, and the names of what the
// client sent and the upstream does not get. It fails with
// UNSUPPORTED_PARAMETER (details param) on what the answer depends on and
// Google cannot do.
func chatRequest(call provider.Call, r replaying) (body []byte, dropped []string, err error) {
	d := draft{call: call, replay: r, config: settings{limit: call.MaxOutput}}
	if call.Wire != nil {
		d.wire = *call.Wire
	}
	for name, v := range jsonscan.Members(call.Request.Body) {
		if !isNull(v) {
			d.member(string(name), v)
		}
	}
	d.config.requested(&d)
	d.converse()
	d.settleTools()
	body = d.write()
	if d.err != nil {
		return nil, nil, d.err
	}
	slices.Sort(d.dropped)
	return body, d.dropped, nil
}

func (d *draft) member(name string, v jsontext.Value) {
	switch {
	case slices.Contains(d.wire.Refuse, name):
		if !openai.IsDefault(name, v) {
			d.refuse(name, "")
		}
	case slices.Contains(d.wire.Drop, name):
		d.drop(name)
	case !d.takes(name, v):
		d.refuse(name, notPriced)
	case d.keep(name, v), d.config.take(d, name, v), d.native(name, v):
	default:
		d.other(name, v)
	}
}

// keep takes a member that is written later.
func (d *draft) keep(name string, v jsontext.Value) bool {
	switch name {
	case "model", "stream", "stream_options":
	case "messages":
		d.messages = v
	case "tools":
		d.tools = v
	case "functions":
		d.functions = v
	case "tool_choice":
		d.choice = v
	case "function_call":
		d.functionCall = v
	case "response_format":
		d.format = v
	default:
		return false
	}
	return true
}

// native takes what clients of Google's own say beside our format.
func (d *draft) native(name string, v jsontext.Value) bool {
	switch name {
	case "safetySettings", "safety_settings":
		d.rest.key("safetySettings").raw(v)
	case "cachedContent", "cached_content":
		d.rest.key("cachedContent").raw(v)
	case "labels":
		d.rest.key("labels").raw(v)
	case "generationConfig":
		d.nativeConfig = v
	case "toolConfig":
		d.nativeTools = v
	default:
		return false
	}
	return true
}

// other judges a member that has no counterpart.
func (d *draft) other(name string, v jsontext.Value) {
	switch name {
	case "audio", "web_search_options":
		d.refuse(name, "")
	case "modalities":
		for kind := range jsonscan.Elements(v) {
			if string(kind) != `"text"` {
				d.refuse(name, "the model answers with text alone")
			}
		}
	case "service_tier":
		d.tier(v)
	case "parallel_tool_calls":
		if !isTrue(v) {
			d.drop(name)
		}
	case "store":
		if isTrue(v) {
			d.drop(name)
		}
	default:
		d.drop(name)
	}
}

func (d *draft) tier(v jsontext.Value) {
	switch string(v) {
	case `"auto"`, `"default"`, `"standard"`:
	case `"flex"`, `"priority"`:
		d.rest.key("serviceTier").raw(v)
	default:
		d.drop("service_tier")
	}
}

func (d *draft) write() []byte {
	o := out{b: make([]byte, 0, len(d.call.Request.Body)+512)}
	o.open('{')
	if !d.system.empty() {
		o.key("systemInstruction").open('{')
		o.key("parts").open('[')
		o.raw(d.system.b)
		o.b = append(o.b, "]}"...)
	}
	o.key("contents").open('[')
	if !d.contents.empty() {
		o.raw(d.contents.b)
	}
	o.end(']')
	d.writeTools(&o)
	d.writeFormat()
	d.config.write(&o, d.nativeConfig)
	if !d.rest.empty() {
		o.raw(d.rest.b)
	}
	o.end('}')
	return o.b
}
