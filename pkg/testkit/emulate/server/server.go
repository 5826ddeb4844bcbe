// Package server is the part of the emulated vendors that does not depend on the vendor.
//
// A Server receives calls, applies directives, records the calls and sends the responses. A Dialect
// implements the API of one vendor: it turns a Call into a Prompt and a ModelResponse into the vendor's
// format, or returns the Problem with which the vendor rejects the call. ComposeResponse is the model;
// its response and the token counts depend only on the prompt, the directives and earlier prompts, which
// can be cached. The packages openai, anthropic and gemini are the dialects.
package server

import (
	"cmp"
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
	// Model replaces the model, which otherwise repeats the prompt. It returns false for prompts that it
	// leaves to the default.
	Model func(*Prompt) (Reply, bool)
}

// defaultContext is large enough for any test.
const defaultContext = 200_000

// Server is one emulated vendor, at the vendor's own paths. It also serves its call log at
// /_emulate/book. It is safe for concurrent use.
type Server struct {
	name     string
	options  Options
	dialect  Dialect
	problems map[string]Problem
	// listed contains the models to list. A model whose name starts with one of prefixes is served too.
	listed    []string
	prefixes  []string
	log       callLog
	cache     prefixCache
	queue     queue
	callCount atomic.Int64
}

// Dialect implements the API of one vendor.
type Dialect interface {
	// Serve returns the response to a call, or the problem with which the call is rejected.
	Serve(*Call) (scripted.Response, *Problem)
	// EncodeError encodes a problem as an error response of the vendor, without the headers of the problem.
	EncodeError(*Call, *Problem) scripted.Response
	// EncodeStreamError encodes a problem as an event of a stream that has already started.
	EncodeStreamError(*Call, *Problem) string
}

// New returns the vendor with that name. models are the models to list; a model whose name starts
// with one of prefixes is served too.
func New(name string, o Options, d Dialect, table map[string]Problem, models, prefixes []string) *Server {
	o.Context = cmp.Or(o.Context, defaultContext)
	s := &Server{name: name, options: o, dialect: d, problems: table, listed: models, prefixes: prefixes}
	if len(o.Models) > 0 {
		s.listed, s.prefixes = o.Models, nil
	}
	return s
}

// Fail makes the next calls fail, one per argument, in this order. An argument is a list of directives,
// for example "429" or "delay=2s;cut=100". An empty argument lets its call succeed.
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
		a = s.dialect.EncodeError(c, p).WithHeaders(p.Header)
		c.Usage = Usage{}
	}
	a = c.Directives.applyTo(a, func() string { return s.dialect.EncodeStreamError(c, c.FindProblem("overloaded")) })
	// The call is recorded before the response is sent. So a client that has received its response always
	// finds the call in the log.
	line := s.log.add(c.newEntry(a))
	c.Directives.delayResponse(r.Context())
	s.log.recordEnd(line, a.Play(w, r))
}

func (s *Server) respond(c *Call) (scripted.Response, *Problem) {
	if c.problem != nil {
		return scripted.Response{}, c.problem
	}
	if p := c.applyDirectives(s.queue.next()); p != nil {
		return scripted.Response{}, p
	}
	if p := c.applyDirectives(c.Request.Header.Get("X-Emulate")); p != nil {
		return scripted.Response{}, p
	}
	return s.dialect.Serve(c)
}

// ServesModel reports whether the model or a dated version of it is served.
func (s *Server) ServesModel(model string) bool {
	return slices.ContainsFunc(s.prefixes, func(p string) bool { return strings.HasPrefix(model, p) }) ||
		slices.ContainsFunc(s.listed, func(m string) bool { return model == m || strings.HasPrefix(model, m+"-20") })
}

// Options returns the options with their defaults.
func (s *Server) Options() Options { return s.options }

// ListedModels returns the models to list.
func (s *Server) ListedModels() []string { return s.listed }

// AcceptsKey reports whether the credential is one of Options.Keys, or no keys are set.
func (s *Server) AcceptsKey(key string) bool {
	return len(s.options.Keys) == 0 || slices.Contains(s.options.Keys, key)
}

func (s *Server) nextID() string { return fmt.Sprintf("%018d", s.callCount.Add(1)) }
