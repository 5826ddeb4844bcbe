package gemini

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// toolChoice is the function calling config.
type toolChoice struct {
	mode string
	// allowed lists the functions that the model may call. It is empty for all functions.
	allowed []string
}

// writeTools writes the functions, and which of them the model may or must call. Google's
// own tools are optional for the model, so they are dropped.
func (t *requestTranslator) writeTools(w *jsonWriter) {
	choice := t.readToolConfig()
	var tools jsonWriter
	for _, tool := range oneOrMany(t.tools) {
		for name, v := range jsonscan.Members(tool) {
			switch {
			case jsonscan.IsNull(v):
			case camelCase(name) == "functionDeclarations":
				t.writeDeclarations(&tools, v, choice)
			default:
				t.drop("tools[]." + string(name))
			}
		}
	}
	w.array("tools", &tools)
	if !tools.isEmpty() {
		t.writeToolChoice(w, choice)
	}
}

func (t *requestTranslator) readToolConfig() (c toolChoice) {
	var calling, mode, allowed jsontext.Value
	readFields(t.toolConfig, t.dropIn(t.toolConfigName), field{"functionCallingConfig", &calling})
	readFields(calling, t.dropIn(t.toolConfigName+".functionCallingConfig"), field{"mode", &mode}, field{"allowedFunctionNames", &allowed})
	c.mode = jsonscan.DecodeText(mode)
	for name := range jsonscan.Elements(allowed) {
		c.allowed = append(c.allowed, jsonscan.DecodeText(name))
	}
	return c
}

// dropIn returns a function that records a member of an object as dropped.
func (t *requestTranslator) dropIn(object string) func(string, jsontext.Value) {
	return func(name string, _ jsontext.Value) { t.drop(object + "." + name) }
}

// writeDeclarations writes the functions that the model may call. Leaving out the others has
// the effect of allowedFunctionNames at every vendor.
func (t *requestTranslator) writeDeclarations(w *jsonWriter, list jsontext.Value, choice toolChoice) {
	for _, v := range oneOrMany(list) {
		var name, description, parameters, schema jsontext.Value
		readFields(v, t.dropIn("tools[].functionDeclarations[]"), field{"name", &name}, field{"description", &description},
			field{"parameters", &parameters}, field{"parametersJsonSchema", &schema})
		if len(choice.allowed) > 0 && !slices.Contains(choice.allowed, jsonscan.DecodeText(name)) {
			continue
		}
		w.open('{')
		w.key("type").text("function")
		w.key("function").open('{')
		w.key("name").text(t.names.toChat(jsonscan.DecodeText(name)))
		if description != nil {
			w.key("description").raw(description)
		}
		switch {
		case schema != nil:
			w.key("parameters").raw(schema)
		case parameters != nil:
			writeSchema(w.key("parameters"), parameters)
		}
		w.close("}}")
	}
}

func (t *requestTranslator) writeToolChoice(w *jsonWriter, c toolChoice) {
	switch c.mode {
	case "", "MODE_UNSPECIFIED":
	case "AUTO", "VALIDATED":
		w.key("tool_choice").text("auto")
	case "NONE":
		w.key("tool_choice").text("none")
	case "ANY":
		if len(c.allowed) != 1 {
			w.key("tool_choice").text("required")
			return
		}
		w.key("tool_choice").open('{')
		w.key("type").text("function")
		w.key("function").open('{')
		w.key("name").text(t.names.toChat(c.allowed[0]))
		w.close("}}")
	default:
		t.reject(t.toolConfigName+".functionCallingConfig.mode", `the value must be "AUTO", "ANY", "NONE" or "VALIDATED"`)
	}
}
