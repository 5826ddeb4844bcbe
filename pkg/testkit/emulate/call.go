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

// maxBody is Anthropic's limit of a request body. The limits of other vendors are similar.
const maxBody = 32 << 20

// createdAt is the creation time of every response in Unix seconds. It is fixed, so that responses do
// not depend on the clock.
const createdAt = 1767225600

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
	// problem is set if the body could not be read.
	problem *problem
}

// problem describes why a call is rejected. Each vendor uses the fields that its error format has.
type problem struct {
	status  int
	kind    string
	code    string
	param   string
	message string
	// details is raw JSON for the error body.
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
	c.problem = c.findProblem("400")
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		c.problem = c.findProblem("413")
	}
	return c
}

// path returns the URL path without repeated slashes.
func (c *call) path() string {
	return "/" + strings.Join(strings.FieldsFunc(c.r.URL.Path, func(r rune) bool { return r == '/' }), "/")
}

// findProblem returns the vendor's problem with that name, or nil.
func (c *call) findProblem(name string) *problem {
	p, ok := c.server.problems[name]
	if !ok {
		return nil
	}
	p.message = strings.ReplaceAll(p.message, "{model}", c.model)
	return &p
}

func (c *call) bearer() string {
	token, _ := strings.CutPrefix(c.r.Header.Get("Authorization"), "Bearer ")
	return token
}

// readModelDirectives sets the model and applies the directives after an @ in its name. So a policy can
// contain a model that always fails.
func (c *call) readModelDirectives(model string) *problem {
	model, list, _ := strings.Cut(model, "@")
	c.model = model
	return c.applyDirectives(list)
}

func (c *call) newEntry(a scripted.Response) Entry {
	status := a.Status
	if status == 0 && len(a.Pieces) > 0 {
		status = http.StatusOK
	}
	return Entry{
		Time: time.Now().UTC(), ID: c.id, Method: c.r.Method, Path: c.r.URL.RequestURI(), Key: c.key, Model: c.model,
		Stream: c.stream, Body: truncateBody(c.body), Directives: c.directives.String(), Status: status, Usage: c.usage,
		Broken: a.Ending != scripted.Whole,
	}
}

// decodeStrict decodes JSON and rejects unknown fields at any depth. If a field is unknown or has the
// wrong type, field is its name. For invalid JSON, field is empty. unknown means that the struct has no
// such field.
func decodeStrict(data []byte, v any) (field string, unknown bool, err error) {
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

// isValidName reports whether a name has 1 to maxLength characters, all of them ASCII letters, digits,
// underscores or dashes.
func isValidName(name string, maxLength int) bool {
	odd := func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	}
	return name != "" && len(name) <= maxLength && !strings.ContainsFunc(name, odd)
}

// jsonType returns the type of a JSON value: object, array, string, number, boolean or null. It is empty
// for a missing value.
func jsonType(raw json.RawMessage) string {
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

// decodeString returns the value of a JSON string. For any other JSON it returns an empty string.
func decodeString(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}

// encodeJSON encodes v. Encoding the types of this package never fails.
func encodeJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(b)
}
