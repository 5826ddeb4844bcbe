package gemini

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// notPriced is why a word is refused that the format itself has.
const notPriced = "what is asked for has a price of its own, which is not known"

// takes tells whether a word of a field is one with which a request goes there.
func (d *draft) takes(name string, v jsontext.Value) bool {
	words, limited := d.wire.Only[name]
	return !limited || v.Kind() != jsontext.KindString || slices.Contains(words, strings.Trim(string(v), `"`))
}

// own takes one of Google's own tools, by its name.
func (d *draft) own(v jsontext.Value, others *out) {
	words, limited := d.wire.Only["tools"]
	for name := range jsonscan.Members(v) {
		if limited && !slices.Contains(words, string(name)) {
			d.refuse("tools", notPriced)
		}
	}
	others.raw(v)
}
