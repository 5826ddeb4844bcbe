package gemini

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// requestTranslator translates one request into the chat format. The body is already checked
// by package requestbody.
type requestTranslator struct {
	req *requestbody.Request
	// These members are translated after all members have been read. toolConfigName and
	// configName are the client's spellings.
	contents, system, tools, toolConfig, config jsontext.Value
	toolConfigName, configName                  string

	messages jsonWriter
	callState
	names           toolNames
	includeThoughts bool
	dropped         []string
	err             error
}

// translate returns the body of a chat completion.
func (t *requestTranslator) translate() ([]byte, error) {
	members := t.req.Members()
	for i := range members {
		name, v := string(t.req.MemberName(&members[i])), t.req.MemberValue(&members[i])
		if !jsonscan.IsNull(v) {
			t.readMember(name, v)
		}
	}
	size := len(t.req.Body) + len(t.req.Body)/8 + 512
	t.messages.buf = make([]byte, 0, size)
	w := jsonWriter{buf: make([]byte, 0, size)}
	w.open('{')
	w.key("model").text(t.req.Model)
	t.addSystem()
	t.addContents()
	if t.messages.isEmpty() {
		t.reject("contents", "they contain no data")
	}
	w.array("messages", &t.messages)
	t.writeTools(&w)
	t.writeConfig(&w)
	if t.req.Stream {
		w.key("stream").literal("true")
		w.key("stream_options").literal(`{"include_usage":true}`)
	}
	w.close("}")
	return w.buf, t.err
}

func (t *requestTranslator) readMember(name string, v jsontext.Value) {
	switch camelCase([]byte(name)) {
	case "contents":
		t.contents = v
	case "systemInstruction":
		t.system = v
	case "tools":
		t.tools = v
	case "toolConfig":
		t.toolConfig, t.toolConfigName = v, name
	case "generationConfig":
		t.config, t.configName = v, name
	case "cachedContent":
		if !jsonscan.IsBlank(v) {
			t.reject(name, "the cached content is stored at Google")
		}
	case "model":
	default:
		if !jsonscan.IsEmptyOrFalse(v) {
			t.drop(name)
		}
	}
}

// drop records that the chat format does not contain a member.
func (t *requestTranslator) drop(name string) {
	if !slices.Contains(t.dropped, name) {
		t.dropped = append(t.dropped, name)
	}
}

func (t *requestTranslator) sortedDropped() []string {
	slices.Sort(t.dropped)
	return t.dropped
}

// reject makes the request fail with UNSUPPORTED_PARAMETER. The first rejected member
// determines the error.
func (t *requestTranslator) reject(param, why string) {
	if t.err == nil {
		t.err = apperr.New(apperr.UnsupportedParameter, param+" is not supported by models of other vendors: "+why).With("param", param)
	}
}
