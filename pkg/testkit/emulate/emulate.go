// Package emulate serves the HTTP APIs of OpenAI, Azure OpenAI, Anthropic and Gemini,
// faithfully enough for the vendors' own SDKs. It requires their credentials, rejects what they
// reject with their messages, and responds, streams and counts in their formats. Responses
// depend only on the request; faults occur when a test or the prompt requests them. It records
// every call, so that tests can compare a ledger with it. Test suites and the development
// cluster use it; no service does.
package emulate

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// Options configures the emulated vendor. The zero value is usable.
type Options struct {
	// Keys are the accepted credentials. Without any, every credential is accepted.
	Keys []string
	// Models are the served models, including dated versions of them. The default is every
	// name with the vendor's prefixes. For Azure they are names of deployments.
	Models []string
	// Context is the largest input in tokens; the default is 200,000.
	Context int64
	// Strict makes OpenAI respond with 422, like Mistral, to fields that Mistral's schema
	// does not list.
	Strict bool
}

// defaultContext is large enough for any test.
const defaultContext = 200_000

// Server is an emulated vendor with the vendor's own paths. It also serves its call log at
// GET /_emulate/book. It is safe for concurrent use.
type Server struct {
	options Options
	dialect dialect
	table   map[string]problem
	// listed are the models to list; prefixes are those of other accepted models.
	listed    []string
	prefixes  []string
	log       callLog
	cache     prefixCache
	queue     queue
	callCount atomic.Int64
}

// dialect implements one vendor.
type dialect interface {
	// serve responds to a call or returns a problem.
	serve(*call) (scripted.Response, *problem)
	// refuse encodes a problem in the vendor's format.
	refuse(*call, *problem) scripted.Response
	// inBand encodes a problem as an event of a stream that has started.
	inBand(*call, *problem) string
}

// OpenAI serves /v1/chat/completions, /v1/embeddings and /v1/models.
func OpenAI(o Options) *Server {
	return newServer(o, openai{}, openaiFaults, openaiModels, openaiPrefixes)
}

// Azure serves the same as OpenAI, at /openai/v1 and at
// /openai/deployments/{deployment}?api-version=...
func Azure(o Options) *Server {
	return newServer(o, azure{}, azureFaults, openaiModels, openaiPrefixes)
}

// Anthropic serves /v1/messages, /v1/messages/count_tokens and /v1/models.
func Anthropic(o Options) *Server {
	return newServer(o, anthropic{}, anthropicFaults, anthropicModels, []string{"claude-"})
}

// Gemini serves the methods of /v1beta/models that generate, embed and count.
func Gemini(o Options) *Server {
	return newServer(o, gemini{}, geminiFaults, geminiModels, []string{"gemini-"})
}

// All serves every vendor at its own prefix: /openai, /azure, /anthropic and /gemini.
func All(o Options) http.Handler {
	mux := http.NewServeMux()
	for prefix, s := range map[string]*Server{"/openai": OpenAI(o), "/azure": Azure(o), "/anthropic": Anthropic(o), "/gemini": Gemini(o)} {
		mux.Handle(prefix+"/", http.StripPrefix(prefix, s))
	}
	return mux
}

func newServer(o Options, d dialect, table map[string]problem, models, prefixes []string) *Server {
	if o.Context == 0 {
		o.Context = defaultContext
	}
	s := &Server{options: o, dialect: d, table: table, listed: models, prefixes: prefixes}
	if len(o.Models) > 0 {
		s.listed, s.prefixes = o.Models, nil
	}
	return s
}

// Fail makes the next calls fail, one per argument, in this order. An argument is a list of
// directives, for example "429" or "delay=2s;cut=100"; an empty one leaves its call alone.
func (s *Server) Fail(directives ...string) { s.queue.add(directives...) }

// Calls returns the recorded calls.
func (s *Server) Calls() []Entry { return s.log.entries() }

// ServeHTTP responds to a call of the vendor's API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/_emulate/book" {
		s.log.ServeHTTP(w, r)
		return
	}
	c := s.receive(r)
	a, p := s.respond(c)
	if p != nil {
		a = s.dialect.refuse(c, p)
		c.usage = Usage{}
	}
	a = c.directives.applyTo(a, func() string { return s.dialect.inBand(c, c.findProblem("overloaded")) })
	// The call is recorded first, so that a client that has a response finds it in the
	// log.
	line := s.log.add(c.newEntry(a))
	c.directives.delayResponse(r.Context())
	s.log.recordEnd(line, a.Play(w, r))
}

func (s *Server) respond(c *call) (scripted.Response, *problem) {
	if c.problem != nil {
		return scripted.Response{}, c.problem
	}
	if p := c.applyDirectives(s.queue.next()); p != nil {
		return scripted.Response{}, p
	}
	if p := c.applyDirectives(c.r.Header.Get("X-Emulate")); p != nil {
		return scripted.Response{}, p
	}
	return s.dialect.serve(c)
}

// servesModel reports whether the model or a version of it exists.
func (s *Server) servesModel(model string) bool {
	return slices.ContainsFunc(s.prefixes, func(p string) bool { return strings.HasPrefix(model, p) }) ||
		slices.ContainsFunc(s.listed, func(m string) bool { return model == m || strings.HasPrefix(model, m+"-20") })
}

// acceptsKey reports whether the credential is accepted.
func (s *Server) acceptsKey(key string) bool {
	return len(s.options.Keys) == 0 || slices.Contains(s.options.Keys, key)
}

func (s *Server) nextID() string { return fmt.Sprintf("%018d", s.callCount.Add(1)) }
