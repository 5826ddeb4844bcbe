package messages

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// standardValues lists the values of usage members that do not change the price.
var standardValues = map[string][]string{
	"service_tier":  {"standard", "batch"},
	"speed":         {"standard"},
	"inference_geo": {"global", "not_available"},
}

// readUnpriced reads a usage member that may change the price of the response. The catalog
// has prices for tokens only.
func (u *nativeUsage) readUnpriced(name string, v []byte) {
	if name == "server_tool_use" {
		for tool, count := range jsonscan.Members(v) {
			if string(count) != "0" && !jsonscan.IsNull(count) {
				u.addUnpriced(string(tool))
			}
		}
		return
	}
	if standard, ok := standardValues[name]; ok && hasText(v) && !slices.Contains(standard, stringValue(v)) {
		u.addUnpriced(name)
	}
}

func (u *nativeUsage) addUnpriced(name string) {
	if !slices.Contains(u.unpriced, name) {
		u.unpriced = append(u.unpriced, name)
	}
}
