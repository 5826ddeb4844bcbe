package api

import (
	"strings"

	"github.com/signalbox/signalbox/services/proxy/internal/agent"
)

// maxUserAgent is how many bytes of a User-Agent are searched for secrets.
const maxUserAgent = 512

// storableAgent returns the name of the client program for the record. A program that is
// not known chose its name itself. The name is left out if it contains sensitive data, or if
// sensitive data begins in it. The agent of the key replaces the name.
func (e *edge) storableAgent(x *exchange) string {
	if x.principal.Agent != "" {
		return x.principal.Agent
	}
	name, known := agent.Identify(x.r.Header)
	if known || name == "" {
		return name
	}
	redactor, userAgent := e.redactor(x), firstValue(x.r.Header, "User-Agent")
	if redactor == nil {
		return ""
	}
	clean := redactor.RedactText(userAgent[:min(len(userAgent), maxUserAgent)])
	if !strings.HasPrefix(clean, agent.Product(userAgent)) {
		return ""
	}
	return name
}
