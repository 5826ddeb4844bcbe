package gemini

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// notPriced is the error text for an option of Google's API whose price is unknown.
const notPriced = "this option is billed separately, and its price is not configured"

// allowsValue reports whether the catalog allows the value of a field. A field without a list
// of allowed values accepts every value. A list restricts only strings.
func (d *requestTranslator) allowsValue(name string, v jsontext.Value) bool {
	allowed, limited := d.wire.AllowedValues[name]
	return !limited || v.Kind() != jsontext.KindString || slices.Contains(allowed, strings.Trim(string(v), `"`))
}

// addNativeTool adds one of Google's own tools. It rejects the request if the catalog does
// not allow the tool.
func (d *requestTranslator) addNativeTool(v jsontext.Value, out *jsonWriter) {
	allowed, limited := d.wire.AllowedValues["tools"]
	for name := range jsonscan.Members(v) {
		if limited && !slices.Contains(allowed, string(name)) {
			d.reject("tools", notPriced)
		}
	}
	out.raw(v)
}
