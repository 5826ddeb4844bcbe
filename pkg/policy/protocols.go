package policy

import "github.com/signalbox/signalbox/pkg/catalog"

// Speaks reports whether the provider serves requests in the given protocol without a
// translation. A provider of the OpenAI format serves Responses only if the catalog or the
// document names the path.
func (p *Provider) Speaks(protocol catalog.Protocol) bool {
	switch p.Kind {
	case "anthropic":
		return protocol == catalog.ProtocolMessages
	case "gemini":
		return protocol == catalog.ProtocolGemini
	}
	if protocol == catalog.ProtocolResponses {
		return p.Wire.UsesResponses(p.Wire != nil && p.Wire.HTTP != nil && p.Wire.HTTP.ResponsesPath != "")
	}
	return protocol == catalog.ProtocolChat
}

// SpeaksAt reports whether the provider serves requests in the given protocol without a
// translation at one of its endpoints.
func (p *Provider) SpeaksAt(e *Endpoint, protocol catalog.Protocol) bool {
	speaks := p.Speaks(protocol)
	if protocol == catalog.ProtocolResponses && p.Kind == "openai" {
		return e.Wire.UsesResponses(speaks)
	}
	return speaks
}

// autoAliases are names of the route auto. Some clients list or accept only models whose
// names start with the name of their vendor.
var autoAliases = [...]string{ClaudeAuto, GeminiAuto}

// These are the other names of the route auto.
const (
	ClaudeAuto = "claude-auto"
	GeminiAuto = "gemini-auto"
)

// resolveAutoAlias returns the name of the route that name stands for. A route or a model
// of the document that has the name of an alias takes precedence.
func (p *Policy) resolveAutoAlias(name string) string {
	for _, alias := range autoAliases {
		if name != alias {
			continue
		}
		_, isRoute := p.routes[name]
		_, isModel := p.models[name]
		if _, isAlias := p.aliases[name]; !isRoute && !isModel && !isAlias {
			return "auto"
		}
	}
	return name
}
