package responses

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// standardTiers lists the service tiers that do not change the price.
var standardTiers = []string{"", "auto", "default", "standard"}

// freeCalls lists the calls that the vendor does not charge: those of the client's own tools.
var freeCalls = []string{"function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call", "tool_search_call"}

// listUnpriced names what the vendor charges in addition to the tokens of a response: calls of
// its own tools, such as web_search_call, and a service tier. The catalog has prices for tokens
// only.
func listUnpriced(response jsontext.Value) (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for item := range jsonscan.Elements(jsonscan.Member(response, "output")) {
		kind := jsonscan.DecodeText(jsonscan.Member(item, "type"))
		if strings.HasSuffix(kind, "_call") && !slices.Contains(freeCalls, kind) {
			add(kind)
		}
	}
	if tier := jsonscan.DecodeText(jsonscan.Member(response, "service_tier")); !slices.Contains(standardTiers, tier) {
		add("service_tier")
	}
	return names
}
