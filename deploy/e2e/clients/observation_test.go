package clients

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// job is the input of a client program.
type job struct {
	Program string      `json:"program"`
	Cases   []caseInput `json:"cases"`
}

// caseInput is one case of a job.
type caseInput struct {
	BaseURL string            `json:"base_url"`
	Name    string            `json:"name"`
	Kind    string            `json:"kind"`
	Key     string            `json:"key"`
	Model   string            `json:"model"`
	Prompt  string            `json:"prompt"`
	Tools   bool              `json:"tools"`
	Orphans bool              `json:"orphans"`
	Headers map[string]string `json:"headers"`
	sdkInput
}

// observation is what the user of a library sees of a case.
type observation struct {
	Case    string      `json:"case"`
	ID      string      `json:"id"`
	Role    string      `json:"role"`
	Text    string      `json:"text"`
	Finish  string      `json:"finish"`
	Tokens  int64       `json:"tokens"`
	Calls   []call      `json:"calls"`
	Parsed  *weather    `json:"parsed"`
	Vectors [][]float64 `json:"vectors"`
	Models  []string    `json:"models"`
	Error   *failure    `json:"error"`
	sdkObservation
}

// call is a tool call.
type call struct {
	ID   string            `json:"id"`
	Type string            `json:"type"`
	Name string            `json:"name"`
	Args map[string]string `json:"args"`
}

// weather is the type that the suite's JSON schema describes.
type weather struct {
	City    string  `json:"city"`
	Degrees float64 `json:"degrees"`
}

// failure is an error as a library shows it.
type failure struct {
	ID      string `json:"id"`
	Class   string `json:"class"`
	Status  int    `json:"status"`
	Code    string `json:"code"`
	Header  string `json:"header"`
	Message string `json:"message"`
	// Title is the text of the exception. Few programs report it.
	Title string `json:"title"`
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// shortCallID matches the ids that the gateway makes for tool calls without an id. OpenAI and
// Azure reject longer ids in the next turn.
var shortCallID = regexp.MustCompile(`^call_[0-9A-Za-z_]{10,35}$`)

// madeCallID stands for any id that matches shortCallID.
const madeCallID = "a short id"

// someUUID stands for any request id.
const someUUID = "a UUID"

// maskID replaces a request id by someUUID, and ids of tool calls that the gateway made by
// madeCallID.
func (s observation) maskID() observation {
	if uuid.MatchString(s.ID) {
		s.ID = someUUID
	}
	s.Calls = slices.Clone(s.Calls)
	for i := range s.Calls {
		if shortCallID.MatchString(s.Calls[i].ID) {
			s.Calls[i].ID = madeCallID
		}
	}
	return s
}

// decodeObservation decodes an output line of a program. Undefined token counts and codes are
// absent.
func decodeObservation(line []byte) (observation, error) {
	var s observation
	if err := json.Unmarshal(line, &s); err != nil {
		return s, fmt.Errorf("%w in %q", err, line)
	}
	if len(s.Calls) == 0 {
		s.Calls = nil
	}
	return s, nil
}

// hide removes the fields that a library does not show.
func (s *observation) hide(fields []string) {
	for _, f := range fields {
		switch f {
		case "id":
			s.ID = ""
		case "role":
			s.Role = ""
		case "text":
			s.Text = ""
		case "finish":
			s.Finish = ""
		case "tokens":
			s.Tokens = 0
		case "calls":
			s.Calls = nil
		case "type":
			s.Calls = slices.Clone(s.Calls)
			for i := range s.Calls {
				s.Calls[i].Type = ""
			}
		}
	}
}

// failureStyle describes how a library shows failures.
type failureStyle struct {
	// class returns the name of the exception.
	class func(c testCase) string
	// calls returns the number of calls before it gives up.
	calls func(c testCase) int
	// flat and nested say what it shows of each error format, and the others what it
	// shows of an error in the middle of a stream.
	flat, nested, amidFlat, amidNested shows
}

// shows says which parts of an error are shown. bareTitle means that the text of the exception
// is only the status, so that users see no reason.
type shows struct{ status, code, header, text, id, bareTitle bool }

func (m failureStyle) check(t *testing.T, c testCase, got observation) {
	require.NotNil(t, got.Error, "no error was shown but %+v", got)
	want, parts := *c.want.Error, m.parts(c)
	require.Equal(t, m.class(c), got.Error.Class, "%+v", got.Error)
	if parts.status {
		require.Equal(t, want.Status, got.Error.Status)
	}
	if parts.code {
		require.Equal(t, want.Code, got.Error.Code)
	}
	if parts.header {
		require.Equal(t, want.Code, got.Error.Header)
	}
	if parts.id {
		require.Regexp(t, uuid, got.Error.ID)
	}
	if parts.text {
		require.Contains(t, got.Error.Message, want.Message)
	}
	if parts.bareTitle {
		require.Equal(t, fmt.Sprintf("Error code: %d", want.Status), got.Error.Title)
	}
	if c.failsMidStream() && c.kind == "stream" {
		require.Equal(t, c.want.Text, got.Text, "what came before the failure")
	}
}

func (m failureStyle) parts(c testCase) shows {
	switch {
	case c.failsMidStream() && c.nested:
		return m.amidNested
	case c.failsMidStream():
		return m.amidFlat
	case c.nested:
		return m.nested
	}
	return m.flat
}
