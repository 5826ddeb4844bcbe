// Package emulate serves the HTTP APIs of OpenAI, Azure OpenAI, Anthropic and Gemini, faithfully enough
// for the vendors' own SDKs. It requires the vendors' credentials and uses their formats for responses,
// streams and token counts. It rejects invalid requests with the vendors' error messages. The text of a
// response depends only on the request. Tests can request faults with directives, such as "429" (see
// server.Directives). It records every call, so that tests can compare the records of Signalbox with
// the calls that arrived. Test suites and the development cluster use it; no service does.
//
// Each vendor has a package below this one. The package server contains what they share.
package emulate

import (
	"net/http"

	"github.com/signalbox/signalbox/pkg/testkit/emulate/anthropic"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/gemini"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/openai"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// These types are the same for all vendors.
type (
	// Options configures the emulated vendor. The zero value is usable.
	Options = server.Options
	// Server is one emulated vendor, at the vendor's own paths.
	Server = server.Server
	// Entry is one call in the vendor's log.
	Entry = server.Entry
	// Usage contains the token counts that the vendor charges for.
	Usage = server.Usage
)

// OpenAI serves /v1/chat/completions, /v1/responses, /v1/embeddings and /v1/models.
func OpenAI(o Options) *Server { return openai.New(o) }

// Azure serves the same endpoints as OpenAI, at /openai/v1 and at
// /openai/deployments/{deployment}?api-version=...
func Azure(o Options) *Server { return openai.NewAzure(o) }

// Anthropic serves /v1/messages, /v1/messages/count_tokens and /v1/models.
func Anthropic(o Options) *Server { return anthropic.New(o) }

// Gemini serves the methods below /v1beta/models that generate content, compute embeddings and count
// tokens.
func Gemini(o Options) *Server { return gemini.New(o) }

// All serves every vendor at its own prefix: /openai, /azure, /anthropic and /gemini.
func All(o Options) http.Handler {
	mux := http.NewServeMux()
	for prefix, s := range map[string]*Server{"/openai": OpenAI(o), "/azure": Azure(o), "/anthropic": Anthropic(o), "/gemini": Gemini(o)} {
		mux.Handle(prefix+"/", http.StripPrefix(prefix, s))
	}
	return mux
}

// Tokens returns the number of tokens that the emulated vendors count for a text.
func Tokens(text string) int64 { return server.Tokens(text) }
