package openai

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/server"
)

// storeDialect is the part of OpenAI's Responses API that stores responses. Each credential belongs
// to another organization, so it finds only its own responses. The input must be a text.
type storeDialect struct {
	dialect
	store *responseStore
}

// NewResponseStore returns an emulated OpenAI that serves /v1/responses and the stored responses
// below it. The text of a response repeats the texts of all turns that it continues.
func NewResponseStore(o server.Options) *server.Server {
	d := storeDialect{store: &responseStore{all: map[string]*storedResponse{}}}
	return server.New("openai", o, d, faults, models, prefixes)
}

// responseStore holds the stored responses. The names are the credential and the id.
type responseStore struct {
	mu  sync.Mutex
	all map[string]*storedResponse
}

type storedResponse struct {
	fields map[string]any
	// said are the inputs of the conversation, oldest first.
	said []string
}

func (s *responseStore) put(c *server.Call, id string, r *storedResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[c.Key+" "+id] = r
}

func (s *responseStore) get(c *server.Call, id string) *storedResponse {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[c.Key+" "+id]
}

func (s *responseStore) remove(c *server.Call, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, c.Key+" "+id)
}

func (d storeDialect) Serve(c *server.Call) (scripted.Response, *server.Problem) {
	if p := authenticate(c); p != nil {
		return scripted.Response{}, p
	}
	rest, found := strings.CutPrefix(c.Path(), "/v1/responses")
	switch id, action, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/"); {
	case !found:
		return d.route(c, strings.TrimPrefix(c.Path(), "/v1"), writer{})
	case id == "" && c.Request.Method == http.MethodPost:
		return d.create(c)
	case id != "":
		return d.serveStored(c, id, c.Request.Method+" "+action)
	}
	return scripted.Response{}, &server.Problem{Status: 405, Kind: "invalid_request_error", Message: "Not allowed."}
}

func (d storeDialect) serveStored(c *server.Call, id, call string) (scripted.Response, *server.Problem) {
	r := d.store.get(c, id)
	if r == nil {
		return scripted.Response{}, &server.Problem{Status: 404, Kind: "invalid_request_error", Message: fmt.Sprintf("Response with id '%s' not found.", id)}
	}
	switch call {
	case "GET ":
		return respondJSON(c, r.fields), nil
	case "DELETE ":
		d.store.remove(c, id)
		return respondJSON(c, map[string]any{"id": id, "object": "response", "deleted": true}), nil
	case "GET input_items":
		return respondJSON(c, r.inputItems()), nil
	case "POST cancel":
		return scripted.Response{}, invalidFieldError("", "", "Cannot cancel a synchronous response: '%s'.", id)
	}
	return scripted.Response{}, &server.Problem{Status: 404, Kind: "invalid_request_error", Message: "Invalid URL."}
}

func (r *storedResponse) inputItems() any {
	data := []any{}
	for i, text := range r.said {
		data = append(data, map[string]any{
			"id": fmt.Sprintf("msg_in%d", i), "type": "message", "role": "user", "status": "completed",
			"content": []any{map[string]any{"type": "input_text", "text": text}},
		})
	}
	return map[string]any{"object": "list", "data": data, "first_id": "msg_in0", "last_id": fmt.Sprintf("msg_in%d", len(r.said)-1), "has_more": false}
}
