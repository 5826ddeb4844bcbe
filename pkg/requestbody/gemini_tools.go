package requestbody

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// geminiToolNames lists functionDeclarations, and the tools that need files at Google or a client
// that only Google's models are trained for. All other built-in tools are optional.
var geminiToolNames = []string{"functionDeclarations", "fileSearch", "computerUse"}

// readGeminiTools reads the tools. Their JSON counts as text.
func (p *parser) readGeminiTools() {
	p.gemini.at = geminiPosition{holder: p.Name(), content: noIndex, part: noIndex}
	if p.skipNull() {
		return
	}
	start := p.markText()
	if !p.readOneOrMany((*parser).readGeminiTool) {
		p.failInTools("", "must be an array of objects")
	}
	p.countSince(start)
}

// failInTools sets an error in the current tool.
func (p *parser) failInTools(member, text string) {
	if p.Err() == nil {
		p.SetError(errInvalidParam(p.gemini.path(outsideParts)+member, text))
	}
}

func (p *parser) readGeminiTool(index int) {
	p.gemini.at.content = index
	if !p.Enter(jsonscan.BeginObject) {
		p.failInTools("", "must be an object")
		return
	}
	var seen geminiSeen
	for p.NextMember() {
		switch p.geminiName(geminiToolNames, &seen, "") {
		case "functionDeclarations":
			p.readDeclarations()
		case "fileSearch":
			if !jsonscan.IsNull(p.Value()) {
				p.addNativeOnly("file_search")
			}
		case "computerUse":
			if !jsonscan.IsNull(p.Value()) {
				p.addNativeOnly("server_tool")
			}
		default:
			if v := p.readUnknownGemini(geminiToolNames, ""); !jsonscan.IsNull(v) && v[0] != '{' {
				p.failInTools("", "must have objects as values")
			}
		}
	}
}

func (p *parser) readDeclarations() {
	if p.skipNull() {
		return
	}
	if !p.readOneOrMany((*parser).readDeclaration) {
		p.failInTools(".functionDeclarations", "must be an array of objects")
	}
}

var declarationNames = []string{"name", "description", "parameters", "parametersJsonSchema", "response", "responseJsonSchema"}

func (p *parser) readDeclaration(index int) {
	p.counts.tools++
	p.gemini.at.part = index
	if !p.Enter(jsonscan.BeginObject) {
		p.failInDeclaration("", "must be an object")
		return
	}
	var seen geminiSeen
	var name, schema jsontext.Value
	for p.NextMember() {
		switch member := p.geminiName(declarationNames, &seen, ""); member {
		case "name":
			name = p.Value()
		case "parameters", "parametersJsonSchema":
			v := p.Value()
			if p.Err() == nil && !jsonscan.IsNull(v) && v[0] != '{' {
				p.failInDeclaration("."+member, "must be an object")
			}
			if !jsonscan.IsNull(v) && !jsonscan.IsNull(schema) {
				p.failInDeclaration("."+member, "must not be combined with another schema of the parameters")
			}
			schema = v
		case "":
			p.readUnknownGemini(declarationNames, "")
		default:
			p.Value()
		}
	}
	if !jsonscan.IsString(name) || len(name) == 2 {
		p.failInDeclaration(".name", "must be a non-empty string")
	}
}

func (p *parser) failInDeclaration(member, text string) {
	index := ""
	if p.gemini.at.part != noIndex {
		index = "[" + strconv.Itoa(p.gemini.at.part) + "]"
	}
	p.failInTools(".functionDeclarations"+index+member, text)
}

var (
	toolConfigNames    = []string{"functionCallingConfig"}
	callingConfigNames = []string{"mode", "allowedFunctionNames"}
)

func (p *parser) readGeminiToolConfig() {
	path := p.gemini.prefix + string(p.Name())
	p.readConfigObject(path, toolConfigNames, func(_, path string) {
		p.readConfigObject(path, callingConfigNames, func(name, path string) {
			if name == "mode" {
				p.readConfigValue([]byte(path), `"`, "a string")
				return
			}
			p.readStrings([]byte(path), jsonscan.MaxMembers, nil)
		})
	})
}

// readConfigObject reads an object or null. It calls read for each member in names, with its
// camelCase name and the path of the client's spelling.
func (p *parser) readConfigObject(path string, names []string, read func(name, path string)) {
	if p.skipNull() {
		return
	}
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(errInvalidParam(path, "must be an object"))
		return
	}
	var seen geminiSeen
	for p.NextMember() {
		inner := path + "." + string(p.Name())
		if name := p.geminiName(names, &seen, path+"."); name != "" {
			read(name, inner)
			continue
		}
		p.readUnknownGemini(names, path+".")
	}
}
