package emulate

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// maxBody is what Anthropic takes; the others are near it.
const maxBody = 32 << 20

// made is when every answer says it was made: answers do not change by the
// time at which they are asked for.
const made = 1767225600

// call is one call of the interface, and what is known of it so far.
type call struct {
	server     *Server
	r          *http.Request
	body       []byte
	id         string
	key        string
	model      string
	stream     bool
	directives directives
	usage      Usage
	// problem is what went wrong before anybody looked at the call.
	problem *problem
}

// problem is why a call is refused. Vendors use of it what they have a place
// for.
type problem struct {
	status  int
	kind    string
	code    string
	param   string
	message string
	// details is raw JSON that belongs to the error.
	details string
	header  map[string]string
}

func (s *Server) receive(r *http.Request) *call {
	c := &call{server: s, r: r, id: s.nextID()}
	var err error
	c.body, err = io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	if err == nil {
		return c
	}
	c.problem = c.find("400")
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		c.problem = c.find("413")
	}
	return c
}

// path is the call's path without repeated slashes.
func (c *call) path() string {
	return "/" + strings.Join(strings.FieldsFunc(c.r.URL.Path, func(r rune) bool { return r == '/' }), "/")
}

// find is the problem of that name in the vendor's table; nil if it has none.
func (c *call) find(name string) *problem {
	p, ok := c.server.table[name]
	if !ok {
		return nil
	}
	p.message = strings.ReplaceAll(p.message, "{model}", c.model)
	return &p
}

// bearer is the token of an Authorization header.
func (c *call) bearer() string {
	token, _ := strings.CutPrefix(c.r.Header.Get("Authorization"), "Bearer ")
	return token
}

// name takes what follows an @ in the model's name for directives, so that a
// policy can have a model that always fails.
func (c *call) name(model string) *problem {
	model, list, _ := strings.Cut(model, "@")
	c.model = model
	return c.heed(list)
}

// entry is the line of the book.
func (c *call) entry(a scripted.Answer) Entry {
	status := a.Status
	if status == 0 && len(a.Pieces) > 0 {
		status = http.StatusOK
	}
	return Entry{
		Time: time.Now().UTC(), ID: c.id, Method: c.r.Method, Path: c.r.URL.RequestURI(), Key: c.key, Model: c.model,
		Stream: c.stream, Body: keep(c.body), Directives: c.directives.String(), Status: status, Usage: c.usage,
		Broken: a.Ending != scripted.Whole,
	}
}

// decode reads JSON into a struct whose fields are all there may be, at any
// depth. field names what does not fit, empty for what is no JSON; unknown says
// that it is there though it should not be.
func decode(data []byte, v any) (field string, unknown bool, err error) {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	if err = d.Decode(v); err == nil {
		if _, err = d.Token(); err == io.EOF {
			return "", false, nil
		}
		return "", false, errors.New("data after the value")
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return e.Field, false, err
	}
	if name, ok := strings.CutPrefix(err.Error(), `json: unknown field "`); ok {
		return strings.TrimSuffix(name, `"`), true, err
	}
	return "", false, err
}

// wordly reports whether a name has the characters and the length that all
// vendors take.
func wordly(name string, most int) bool {
	odd := func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	}
	return name != "" && len(name) <= most && !strings.ContainsFunc(name, odd)
}

// kindOf is the type of a JSON value: object, array, string, number, boolean,
// null, or empty for none.
func kindOf(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// text is a JSON string's text; empty for anything else.
func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}

// encode writes what this package has made, which can always be written.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(b)
}
