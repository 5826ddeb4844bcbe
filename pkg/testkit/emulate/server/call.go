package server

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// maxBody is Anthropic's limit of a request body. The limits of other vendors are similar.
const maxBody = 32 << 20

// CreatedAt is the creation time of every response in Unix seconds. It is fixed, so that responses do
// not depend on the clock.
const CreatedAt = 1767225600

// Call is one call of the vendor's API. The dialect fills in Key, Model, Stream and Usage for the log.
type Call struct {
	Server     *Server
	Request    *http.Request
	Body       []byte
	ID         string
	Key        string
	Model      string
	Stream     bool
	Directives Directives
	Usage      Usage
	toolCalls  int
	// problem is set if the body could not be read.
	problem *Problem
}

// Problem describes why a call is rejected. Each vendor uses the fields that its error format has.
type Problem struct {
	Status  int
	Kind    string
	Code    string
	Param   string
	Message string
	// Details is raw JSON for the error body.
	Details string
	Header  map[string]string
}

func (s *Server) receive(r *http.Request) *Call {
	c := &Call{Server: s, Request: r, ID: s.nextID()}
	var err error
	c.Body, err = io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	if err == nil {
		return c
	}
	c.problem = c.FindProblem("400")
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		c.problem = c.FindProblem("413")
	}
	return c
}

// Path returns the URL path without repeated slashes.
func (c *Call) Path() string {
	return "/" + strings.Join(strings.FieldsFunc(c.Request.URL.Path, func(r rune) bool { return r == '/' }), "/")
}

// FindProblem returns the vendor's problem with that name, or nil.
func (c *Call) FindProblem(name string) *Problem {
	p, ok := c.Server.problems[name]
	if !ok {
		return nil
	}
	p.Message = strings.ReplaceAll(p.Message, "{model}", c.Model)
	return &p
}

// Bearer returns the token of the Authorization header, or "".
func (c *Call) Bearer() string {
	token, _ := strings.CutPrefix(c.Request.Header.Get("Authorization"), "Bearer ")
	return token
}

// ReadModelDirectives sets the model and applies the directives after an @ in its name. So a policy can
// contain a model that always fails.
func (c *Call) ReadModelDirectives(model string) *Problem {
	model, list, _ := strings.Cut(model, "@")
	c.Model = model
	return c.applyDirectives(list)
}

func (c *Call) newEntry(a scripted.Response) Entry {
	status := a.Status
	if status == 0 && len(a.Pieces) > 0 {
		status = http.StatusOK
	}
	return Entry{
		Time: time.Now().UTC(), ID: c.ID, Method: c.Request.Method, Path: c.Request.URL.RequestURI(), Key: c.Key, Model: c.Model,
		Stream: c.Stream, Body: truncateBody(c.Body), Directives: c.Directives.String(), Status: status, Usage: c.Usage, ToolCalls: c.toolCalls,
		Broken: a.Ending != scripted.Whole,
	}
}
