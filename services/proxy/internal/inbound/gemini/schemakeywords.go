package gemini

// countKeywords lists keywords whose values Google writes as strings, because they are 64-bit
// integers.
var countKeywords = []string{"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"}

// snakeKeywords maps the snake_case spellings of Google's keywords to JSON Schema.
var snakeKeywords = map[string]string{
	"any_of": "anyOf", "min_items": "minItems", "max_items": "maxItems", "min_length": "minLength", "max_length": "maxLength",
	"min_properties": "minProperties", "max_properties": "maxProperties", "property_ordering": "propertyOrdering",
	"prefix_items": "prefixItems", "additional_properties": "additionalProperties", "defs": "$defs", "ref": "$ref",
}

// isDigits reports whether text is a JSON number without sign, fraction and exponent.
func isDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) > 0 && len(text) < 20 && (text[0] != '0' || len(text) == 1)
}
