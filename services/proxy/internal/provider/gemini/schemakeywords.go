package gemini

import "github.com/signalbox/signalbox/pkg/jsonscan"

// supportedKeywords lists the keywords that Google supports and that contain no nested
// schemas.
var supportedKeywords = []string{
	"$id", "$anchor", "type", "format", "title", "description", "enum", "minItems", "maxItems",
	"minimum", "maximum", "required", "propertyOrdering",
}

// ignoredKeywords lists the keywords that have no effect on the response. They are omitted
// without a report.
var ignoredKeywords = []string{
	"$schema", "$comment", "default", "examples", "example", "deprecated", "readOnly", "writeOnly",
}

// rejectedKeywords lists keywords that Google does not support. A schema without them would
// have another meaning, so the request is rejected.
var rejectedKeywords = []string{
	"not", "if", "then", "else", "patternProperties", "dependentSchemas", "dependentRequired", "$dynamicRef",
}

// currentKeyword returns the current name of a keyword from an older JSON Schema draft.
func currentKeyword(name string, kind jsonscan.Kind) string {
	switch {
	case name == "definitions":
		return "$defs"
	case name == "items" && kind == jsonscan.BeginArray:
		return "prefixItems"
	}
	return name
}
