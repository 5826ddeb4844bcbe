package gemini

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// generatedIDPrefix starts the ids of calls that came without an id. The adapter for Google
// does not send ids with this prefix.
const generatedIDPrefix = "call_gen_"

// callState holds the function calls of the last model turn.
type callState struct {
	calls []openCall
	// generated counts the ids that were generated so far. It makes an id depend only on the
	// conversation before it, so that vendors can cache the prompt from turn to turn.
	generated int
}

// openCall is a call of the last model turn. id is the client's id, or empty.
type openCall struct {
	id, name, chatID string
	answered         bool
}

func (s *callState) startCalls() { s.calls = s.calls[:0] }

// addCall writes a function call as a tool call.
func (t *requestTranslator) addCall(m *modelTurn, p *part) {
	var id, name, args jsontext.Value
	readFields(p.call, nil, field{"id", &id}, field{"name", &name}, field{"args", &args})
	call := openCall{id: jsonscan.DecodeText(id), name: jsonscan.DecodeText(name)}
	if call.chatID = call.id; call.id == "" {
		call.chatID = generatedIDPrefix + strconv.Itoa(t.generated)
		t.generated++
	}
	t.calls = append(t.calls, call)
	if args == nil {
		args = jsontext.Value("{}")
	}
	w := &m.calls
	w.open('{')
	w.key("id").text(call.chatID)
	w.key("type").text("function")
	w.key("function").open('{')
	w.key("name").text(t.names.toChat(call.name))
	w.key("arguments").quote(args)
	w.close("}")
	if !t.restoreState(m, p.signature) && !lacksText(p.signature) {
		w.key("extra_content").open('{')
		w.key("google").open('{')
		w.key("thought_signature").quote(standardBase64(nil, jsonscan.DecodeString(p.signature)))
		w.close("}}")
	}
	w.close("}")
}

// addToolMessage writes a function response as a tool message.
func (t *requestTranslator) addToolMessage(p *part) {
	var id, name, response jsontext.Value
	readFields(p.response, nil, field{"id", &id}, field{"name", &name}, field{"response", &response})
	call := t.findCall(jsonscan.DecodeText(id), jsonscan.DecodeText(name))
	if call == nil {
		t.reject(p.path+".functionResponse", "it belongs to no function call")
		return
	}
	call.answered = true
	w := &t.messages
	w.open('{')
	w.key("role").text("tool")
	w.key("tool_call_id").text(call.chatID)
	w.key("content").quote(responseText(response))
	w.close("}")
}

// findCall returns the open call with the id. Without a match by id, it returns the first
// open call of that name that has no id, or whose response has none.
func (s *callState) findCall(id, name string) *openCall {
	for i := range s.calls {
		if c := &s.calls[i]; !c.answered && id != "" && c.id == id {
			return c
		}
	}
	for i := range s.calls {
		if c := &s.calls[i]; !c.answered && (c.id == "" || id == "") && c.name == name {
			return c
		}
	}
	return nil
}

// responseText returns the text of a function response. An object whose only member is a
// string "output" becomes that string, as the adapter for Google does it in reverse. Texts
// that look like JSON stay wrapped, because the adapter would not wrap them again.
func responseText(response jsontext.Value) []byte {
	var output jsontext.Value
	members := 0
	for name, v := range jsonscan.Members(response) {
		if members++; string(name) == "output" {
			output = v
		}
	}
	text := jsonscan.DecodeString(output)
	if members != 1 || !jsonscan.IsString(output) || looksLikeJSON(text) {
		if len(response) == 0 {
			return []byte("{}")
		}
		return response
	}
	return text
}

func looksLikeJSON(text []byte) bool {
	trimmed := bytes.TrimSpace(text)
	return len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && jsonscan.Valid(trimmed)
}

// addResponseMedia adds the media of a function response to the user's message, because most
// vendors accept only text in tool messages.
func (t *requestTranslator) addResponseMedia(content *contentWriter, p *part) {
	var parts jsontext.Value
	readFields(p.response, nil, field{"parts", &parts})
	for _, v := range oneOrMany(parts) {
		media := parsePart(v, p.path+".functionResponse.parts")
		switch {
		case media.inlineData != nil:
			content.addInlineData(media.inlineData)
		case media.fileData != nil:
			t.addFileData(content, &media)
		}
	}
}
