package openai

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// responsesTool is a tool of the Responses API. A namespace contains functions in Tools. Web
// search and the shell run at the vendor; the model of the emulator does not call them.
type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
	Format      json.RawMessage `json:"format,omitempty"`
	Tools       []responsesTool `json:"tools,omitempty"`

	Filters           json.RawMessage `json:"filters,omitempty"`
	UserLocation      json.RawMessage `json:"user_location,omitempty"`
	SearchContextSize string          `json:"search_context_size,omitempty"`
	ExternalWebAccess *bool           `json:"external_web_access,omitempty"`
}

// The types of tools in a request and in a namespace.
var (
	topTools       = []string{"function", "custom", "namespace", "web_search", "local_shell"}
	namespaceTools = []string{"function", "custom"}
)

// checkResponsesTools checks what the chat API does not have. at is the path of the tools.
func checkResponsesTools(tools []responsesTool, at string, types []string) *server.Problem {
	for i, t := range tools {
		at := fmt.Sprintf("%s[%d]", at, i)
		switch {
		case !slices.Contains(types, t.Type):
			return invalidFieldError(at+".type", "invalid_value", "Invalid value: '%s'.", t.Type)
		case t.Type == "namespace" && !server.IsValidName(t.Name, 64):
			return invalidFieldError(at+".name", "invalid_value", "Invalid '%s.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", at)
		case t.Type == "namespace" && len(t.Tools) == 0:
			return invalidFieldError(at+".tools", "empty_array", "Invalid '%s.tools': empty array. Expected an array with minimum length 1, but got an empty array instead.", at)
		case t.Type != "namespace" && t.Tools != nil:
			return invalidFieldError(at+".tools", "unknown_parameter", "Unknown parameter: '%s.tools'.", at)
		}
		if p := checkResponsesTools(t.Tools, at+".tools", namespaceTools); p != nil {
			return p
		}
	}
	return nil
}

// listFunctions returns the tools that the model can call, with those of the namespaces.
func (r *responsesRequest) listFunctions() []responsesTool {
	var all []responsesTool
	for _, t := range r.Tools {
		switch t.Type {
		case "function", "custom":
			all = append(all, t)
		case "namespace":
			all = append(all, t.Tools...)
		}
	}
	return all
}

// findNamespace returns the namespace of a function, or "" if it has none.
func (r *responsesRequest) findNamespace(function string) string {
	isFunction := func(t responsesTool) bool { return t.Name == function }
	if slices.ContainsFunc(r.Tools, isFunction) {
		return ""
	}
	for _, t := range r.Tools {
		if slices.ContainsFunc(t.Tools, isFunction) {
			return t.Name
		}
	}
	return ""
}

// toChat returns a function as a tool of the chat API. A function without strict is strict.
func (t responsesTool) toChat() chatTool {
	tool := chatTool{Type: t.Type}
	tool.Function.Name, tool.Function.Description, tool.Function.Parameters, tool.Function.Strict = t.Name, t.Description, t.Parameters, t.Strict
	if t.Strict == nil && t.Type == "function" {
		strict := true
		tool.Function.Strict = &strict
	}
	return tool
}
