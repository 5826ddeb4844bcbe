package responses

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/namelist"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// freeCalls lists the calls of tools that the client runs, and the calls of the vendor's own
// tools that cost only tokens.
var freeCalls = []string{"function_call", "custom_tool_call", "local_shell_call", "shell_call", "computer_call", "apply_patch_call", "mcp_call", "tool_search_call"}

// addTool adds the vendor's tool that an output item calls, such as web_search for the item
// web_search_call.
func addTool(list *namelist.List, item jsontext.Value) {
	kind := jsonscan.DecodeText(jsonscan.Member(item, "type"))
	tool, isCall := strings.CutSuffix(kind, "_call")
	if isCall && !slices.Contains(freeCalls, kind) {
		list.Add(tool)
	}
}

// addUnpriced adds what a response charges in addition to its tokens.
func addUnpriced(list *namelist.List, output, serviceTier jsontext.Value) {
	for item := range jsonscan.Elements(output) {
		addTool(list, item)
	}
	usagereport.AddUnpriced(list, "service_tier", serviceTier)
}
