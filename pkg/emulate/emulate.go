// Package emulate serves the HTTP APIs of OpenAI, Azure OpenAI, Anthropic and Gemini, faithfully enough
// for the vendors' own SDKs. It requires a credential in the vendor's header, and uses the vendors' formats
// for responses, streams and token counts. It rejects invalid requests with the vendors' error messages. The
// text of a response depends only on the request. Tests can request faults with directives, such as "429"
// (see directives). The package records the calls, so that tests can compare the records of Signalbox with
// the calls that arrived. Test suites and the development cluster use the package; no service does.
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
	// Keys are the accepted credentials. If there are none, every credential is accepted.
	Keys []string
	// Models are the served models. Dated versions of them are served too. By default, every name that
	// starts with one of the vendor's prefixes is served. For Azure, the names are those of deployments.
	Models []string
	// Context is the maximum input in tokens. The default is 200,000.
	Context int64
	// Strict makes OpenAI behave like Mistral: it responds with status 422 to fields that Mistral does
	// not have.
	Strict bool
}

// defaultContext is large enough for any test.
const defaultContext = 200_000

// Server is one emulated vendor, at the vendor's own paths. It also serves its call log at
// /_emulate/book. It is safe for concurrent use.
type Server struct {
	options  Options
	dialect  dialect
	problems map[string]problem
	// listed contains the models to list. A model whose name starts with one of prefixes is served too.
	listed    []string
	prefixes  []string
	log       callLog
	cache     prefixCache
	queue     queue
	callCount atomic.Int64
}

// dialect implements the API of one vendor.
type dialect interface {
	// serve returns the response to a call, or the problem with which the call is rejected.
	serve(*call) (scripted.Response, *problem)
	// encodeError encodes a problem as an error response of the vendor.
	encodeError(*call, *problem) scripted.Response
	// encodeStreamError encodes a problem as an event of a stream that has already started.
	encodeStreamError(*call, *problem) string
}

// OpenAI serves /v1/chat/completions, /v1/embeddings and /v1/models.
func OpenAI(o Options) *Server {
	return newServer(o, openai{}, openaiFaults, openaiModels, openaiPrefixes)
}

// Azure serves the same endpoints as OpenAI, at /openai/v1 and at
// /openai/deployments/{deployment}?api-version=...
func Azure(o Options) *Server {
	return newServer(o, azure{}, azureFaults, openaiModels, openaiPrefixes)
}

// Anthropic serves /v1/messages, /v1/messages/count_tokens and /v1/models.
func Anthropic(o Options) *Server {
	return newServer(o, anthropic{}, anthropicFaults, anthropicModels, []string{"claude-"})
}

// Gemini serves the methods below /v1beta/models that generate content, compute embeddings and count
// tokens.
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
	s := &Server{options: o, dialect: d, problems: table, listed: models, prefixes: prefixes}
	if len(o.Models) > 0 {
		s.listed, s.prefixes = o.Models, nil
	}
	return s
}

// Fail applies directives to the next calls, one argument per call, in this order. An argument is a list
// of directives, for example "429" or "delay=2s;cut=100". An empty argument lets its call succeed.
func (s *Server) Fail(directives ...string) { s.queue.add(directives...) }

// Calls returns the recorded calls, oldest first. Only the latest ones are retained.
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
		a = s.dialect.encodeError(c, p)
		c.usage = Usage{}
	}
	a = c.directives.applyTo(a, func() string { return s.dialect.encodeStreamError(c, c.findProblem("overloaded")) })
	// The call is recorded before the response is sent. So a client that has received its response always
	// finds the call in the log.
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

// servesModel reports whether the model or a dated version of it is served.
func (s *Server) servesModel(model string) bool {
	return slices.ContainsFunc(s.prefixes, func(p string) bool { return strings.HasPrefix(model, p) }) ||
		slices.ContainsFunc(s.listed, func(m string) bool { return model == m || strings.HasPrefix(model, m+"-20") })
}

func (s *Server) acceptsKey(key string) bool {
	return len(s.options.Keys) == 0 || slices.Contains(s.options.Keys, key)
}

func (s *Server) nextID() string { return fmt.Sprintf("%018d", s.callCount.Add(1)) }
