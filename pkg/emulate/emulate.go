// Package emulate serves the HTTP interfaces of OpenAI, Azure OpenAI, Anthropic
// and Gemini, faithfully enough that the vendors' own libraries talk to it
// unmodified: it asks for their credentials, refuses what they refuse in their
// words, and answers, streams and counts in their shapes. What it says follows
// from the request alone; faults come when a test or the prompt asks for them.
// It keeps a book of what it did, to hold a ledger against. Suites and the
// development cluster use it; no service does.
package emulate

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// Options are what the emulated vendor is like. The zero value is usable.
type Options struct {
	// Keys are the credentials it knows. Without any it takes every one.
	Keys []string
	// Models are what it serves, dated versions of them included; by default
	// whatever is named as the vendor names its models. Azure takes them for
	// names of deployments.
	Models []string
	// Context is the most input a model takes, in tokens; 200,000 by default.
	Context int64
	// Strict makes OpenAI answer with 422, as Mistral does, to every field that
	// Mistral's schema does not list.
	Strict bool
}

// defaultContext is large enough for any honest test.
const defaultContext = 200_000

// Server is an emulated vendor. Its paths are the vendor's own; beside them it
// serves its book at GET /_emulate/book. It is safe for concurrent use.
type Server struct {
	options Options
	dialect dialect
	table   map[string]problem
	// listed are the models to show, prefixes how those begin that there are
	// besides.
	listed   []string
	prefixes []string
	book     book
	cache    prefixes
	queue    queue
	calls    atomic.Int64
}

// dialect is what tells one vendor from another.
type dialect interface {
	// serve answers a call, or says what is wrong with it.
	serve(*call) (scripted.Answer, *problem)
	// refuse is a problem in the vendor's words.
	refuse(*call, *problem) scripted.Answer
	// inBand is a problem as a piece of a stream that has begun.
	inBand(*call, *problem) string
}

// OpenAI serves /v1/chat/completions, /v1/embeddings and /v1/models.
func OpenAI(o Options) *Server {
	return newServer(o, openai{}, openaiFaults, openaiModels, openaiPrefixes)
}

// Azure serves what OpenAI does, at /openai/v1 and at
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

// All serves every vendor, at a prefix of its own: /openai, /azure, /anthropic
// and /gemini.
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

// Fail makes the next calls fail, one for each argument, in this order. An
// argument is a list of directives as prompts may have it, for example "429",
// "delay=2s;cut=100"; an empty one lets its call be.
func (s *Server) Fail(directives ...string) { s.queue.add(directives...) }

// Book is what was done so far, as far back as it is kept.
func (s *Server) Book() []Entry { return s.book.all() }

// ServeHTTP answers a call of the vendor's interface.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/_emulate/book" {
		s.book.ServeHTTP(w, r)
		return
	}
	c := s.receive(r)
	a, p := s.answer(c)
	if p != nil {
		a = s.dialect.refuse(c, p)
		c.usage = Usage{}
	}
	a = c.directives.bend(a, func() string { return s.dialect.inBand(c, c.find("overloaded")) })
	// Kept before the caller can know of it, so that whoever has an answer
	// finds it in the book.
	line := s.book.add(c.entry(a))
	c.directives.hold(r.Context())
	s.book.close(line, a.Play(w, r))
}

func (s *Server) answer(c *call) (scripted.Answer, *problem) {
	if c.problem != nil {
		return scripted.Answer{}, c.problem
	}
	if p := c.heed(s.queue.next()); p != nil {
		return scripted.Answer{}, p
	}
	if p := c.heed(c.r.Header.Get("X-Emulate")); p != nil {
		return scripted.Answer{}, p
	}
	return s.dialect.serve(c)
}

// serves reports whether there is such a model, or a version of it.
func (s *Server) serves(model string) bool {
	return slices.ContainsFunc(s.prefixes, func(p string) bool { return strings.HasPrefix(model, p) }) ||
		slices.ContainsFunc(s.listed, func(m string) bool { return model == m || strings.HasPrefix(model, m+"-20") })
}

// admits reports whether the credential is known.
func (s *Server) admits(key string) bool {
	return len(s.options.Keys) == 0 || slices.Contains(s.options.Keys, key)
}

func (s *Server) nextID() string { return fmt.Sprintf("%018d", s.calls.Add(1)) }
