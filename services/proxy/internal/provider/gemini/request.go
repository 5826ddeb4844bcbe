package gemini

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// requestTranslator translates one request into Google's format.
type requestTranslator struct {
	call provider.Call
	wire catalog.Wire
	// These members are written after all members have been read.
	messages, tools, functions, toolChoice, functionCall jsontext.Value
	responseFormat, nativeConfig, nativeToolConfig       jsontext.Value

	conversation
	config     generationConfig
	signatures signatureMode
	// nativeMembers holds top-level members that are already in Google's format.
	nativeMembers jsonWriter
	dropped       provider.DroppedFields
	err           error
}

// buildChatRequest returns the body of a generateContent call, and the names of the dropped
// fields. If Google does not support a field and the response depends on it,
// buildChatRequest fails with UNSUPPORTED_PARAMETER and names the field in param.
func buildChatRequest(call provider.Call, r signatureMode) (body []byte, dropped []string, err error) {
	d := requestTranslator{call: call, signatures: r, config: generationConfig{modelMaxTokens: call.MaxOutputTokens}}
	if call.Wire != nil {
		d.wire = *call.Wire
	}
	for name, v := range jsonscan.Members(call.Request.Body) {
		if !jsonscan.IsNull(v) {
			d.readMember(string(name), v)
		}
	}
	d.config.addParsedMembers(&d)
	d.addMessages()
	d.resolveToolsWithFormat()
	body = d.writeBody()
	if d.err != nil {
		return nil, nil, d.err
	}
	slices.Sort(d.dropped)
	return body, d.dropped, nil
}

func (d *requestTranslator) readMember(name string, v jsontext.Value) {
	switch {
	case slices.Contains(d.wire.Reject, name):
		if !outbound.IsDefault(name, v) {
			d.reject(name, "")
		}
	case slices.Contains(d.wire.Drop, name):
		d.reportDropped(name)
	case !d.allowsValue(name, v):
		d.reject(name, notPriced)
	case name == "model", name == "stream", name == "stream_options":
	case d.storeMember(name, v), d.config.readMember(d, name, v), d.readNativeMember(name, v):
	default:
		d.dropOrReject(name, v)
	}
}

// storeMember stores a member that is written later. It returns false for other members.
func (d *requestTranslator) storeMember(name string, v jsontext.Value) bool {
	to := findField(name, field{"messages", &d.messages}, field{"tools", &d.tools}, field{"functions", &d.functions},
		field{"tool_choice", &d.toolChoice}, field{"function_call", &d.functionCall}, field{"response_format", &d.responseFormat},
		field{"generationConfig", &d.nativeConfig}, field{"toolConfig", &d.nativeToolConfig})
	if to != nil {
		*to = v
	}
	return to != nil
}

// readNativeMember reads a member of Google's own format. It returns false for other members.
func (d *requestTranslator) readNativeMember(name string, v jsontext.Value) bool {
	switch name {
	case "safetySettings", "safety_settings":
		d.nativeMembers.key("safetySettings").raw(v)
	case "labels":
		d.nativeMembers.key("labels").raw(v)
	default:
		return false
	}
	return true
}

// dropOrReject handles a member that Google supports only partly or not at all.
func (d *requestTranslator) dropOrReject(name string, v jsontext.Value) {
	switch name {
	case "audio", "web_search_options":
		d.reject(name, "")
	case "modalities":
		for kind := range jsonscan.Elements(v) {
			if string(kind) != `"text"` {
				d.reject(name, "the model produces text only")
			}
		}
	case "service_tier":
		d.setServiceTier(v)
	case "parallel_tool_calls":
		if !isTrue(v) {
			d.reportDropped(name)
		}
	case "store":
		if isTrue(v) {
			d.reportDropped(name)
		}
	default:
		d.reportDropped(name)
	}
}

func (d *requestTranslator) setServiceTier(v jsontext.Value) {
	switch string(v) {
	case `"auto"`, `"default"`, `"standard"`:
	case `"flex"`, `"priority"`:
		d.nativeMembers.key("serviceTier").raw(v)
	default:
		d.reportDropped("service_tier")
	}
}

func (d *requestTranslator) writeBody() []byte {
	o := jsonWriter{buf: make([]byte, 0, len(d.call.Request.Body)+512)}
	o.open('{')
	if !d.system.isEmpty() {
		o.key("systemInstruction").open('{')
		o.key("parts").open('[')
		o.raw(d.system.buf)
		o.buf = append(o.buf, "]}"...)
	}
	o.key("contents").open('[')
	if !d.contents.isEmpty() {
		o.raw(d.contents.buf)
	}
	o.close(']')
	d.writeTools(&o)
	d.writeResponseFormat()
	d.config.writeTo(&o, d.nativeConfig)
	if !d.nativeMembers.isEmpty() {
		o.raw(d.nativeMembers.buf)
	}
	o.close('}')
	return o.buf
}
