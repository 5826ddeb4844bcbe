package gemini

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// content is one turn of the conversation, or a part of a turn.
type content struct {
	isModel bool
	parts   []part
}

// part is one part of a content, as raw JSON. path identifies it in errors.
type part struct {
	path                                           string
	text, thought, signature, call, response       jsontext.Value
	inlineData, fileData, executed, executedResult jsontext.Value
	hasUnknown                                     bool
}

func parsePart(v jsontext.Value, path string) part {
	p := part{path: path}
	other := func(string, jsontext.Value) { p.hasUnknown = true }
	var ignored jsontext.Value
	readFields(v, other, field{"text", &p.text}, field{"thought", &p.thought}, field{"thoughtSignature", &p.signature},
		field{"functionCall", &p.call}, field{"functionResponse", &p.response}, field{"inlineData", &p.inlineData},
		field{"fileData", &p.fileData}, field{"executableCode", &p.executed}, field{"codeExecutionResult", &p.executedResult},
		field{"videoMetadata", &ignored})
	return p
}

func parseContent(v jsontext.Value, path string) content {
	var role, list jsontext.Value
	readFields(v, nil, field{"role", &role}, field{"parts", &list})
	c := content{isModel: string(role) == `"model"`}
	for i, one := range oneOrMany(list) {
		c.parts = append(c.parts, parsePart(one, path+".parts["+strconv.Itoa(i)+"]"))
	}
	return c
}

// addSystem writes the system message.
func (t *requestTranslator) addSystem() {
	if t.system == nil {
		return
	}
	var content contentWriter
	c := parseContent(t.system, "systemInstruction")
	for i := range c.parts {
		if p := &c.parts[i]; jsonscan.IsString(p.text) {
			content.addText(p.text)
		} else {
			t.reject(p.path, "the system instruction must be text")
		}
	}
	t.addMessage("system", &content, nil)
}

// addContents writes the conversation. Consecutive contents of one side form one turn.
func (t *requestTranslator) addContents() {
	var turn []content
	for i, v := range oneOrMany(t.contents) {
		c := parseContent(v, "contents["+strconv.Itoa(i)+"]")
		if len(turn) > 0 && turn[0].isModel != c.isModel {
			t.addTurn(turn)
			turn = turn[:0]
		}
		turn = append(turn, c)
	}
	t.addTurn(turn)
}

func (t *requestTranslator) addTurn(turn []content) {
	switch {
	case len(turn) == 0:
	case turn[0].isModel:
		t.addModelTurn(turn)
	default:
		t.addUserTurn(turn)
	}
}

// addUserTurn writes the function responses, then everything else, because chat requires
// tool messages to follow the calls at once.
func (t *requestTranslator) addUserTurn(turn []content) {
	for i := range turn {
		for j := range turn[i].parts {
			if p := &turn[i].parts[j]; p.response != nil {
				t.addToolMessage(p)
			}
		}
	}
	for i := range turn {
		var content contentWriter
		for j := range turn[i].parts {
			t.addUserPart(&content, &turn[i].parts[j])
		}
		if !content.isEmpty() {
			t.addMessage("user", &content, nil)
		}
	}
}

func (t *requestTranslator) addUserPart(content *contentWriter, p *part) {
	switch {
	case jsonscan.IsString(p.text):
		content.addText(p.text)
	case p.response != nil:
		t.addResponseMedia(content, p)
	case p.inlineData != nil:
		content.addInlineData(p.inlineData)
	case p.fileData != nil:
		t.addFileData(content, p)
	default:
		t.rejectPart(p)
	}
}

// rejectPart rejects a part for which chat has no form. A part without data is ignored.
func (t *requestTranslator) rejectPart(p *part) {
	switch {
	case p.executed != nil:
		t.reject(p.path+".executableCode", "only Google executes code in this form")
	case p.executedResult != nil:
		t.reject(p.path+".codeExecutionResult", "only Google executes code in this form")
	case p.hasUnknown:
		t.reject(p.path, "the kind of the part is unknown")
	}
}
