package responses_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// event is one event of the protocol.
type event struct {
	Type         string          `json:"type"`
	Sequence     *int64          `json:"sequence_number"`
	Response     *response       `json:"response"`
	Item         json.RawMessage `json:"item"`
	ItemID       string          `json:"item_id"`
	OutputIndex  int             `json:"output_index"`
	ContentIndex int             `json:"content_index"`
	Part         json.RawMessage `json:"part"`
	Delta        string          `json:"delta"`
	Text         string          `json:"text"`
	Refusal      string          `json:"refusal"`
	Arguments    string          `json:"arguments"`
	Input        string          `json:"input"`
	Error        json.RawMessage `json:"error"`
	Code         string          `json:"code"`
	Details      map[string]any  `json:"details"`
	Annotation   json.RawMessage `json:"annotation"`
	SummaryIndex int             `json:"summary_index"`
	AnnotationAt int             `json:"annotation_index"`
}

type response struct {
	ID     string                          `json:"id"`
	Object string                          `json:"object"`
	Status string                          `json:"status"`
	Model  string                          `json:"model"`
	Output []json.RawMessage               `json:"output"`
	Usage  json.RawMessage                 `json:"usage"`
	Error  *struct{ Code, Message string } `json:"error"`
}

// item is the part of an output item that events repeat.
type item struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Status    string `json:"status"`
	Arguments string `json:"arguments"`
	Input     string `json:"input"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	CallID    string `json:"call_id"`
	Encrypted string `json:"encrypted_content"`
	Summary   []struct{ Text string }
	Content   []struct {
		Type, Text, Refusal string
		Annotations         []json.RawMessage
	}
}

// itemState is what the events have said about an item so far.
type itemState struct {
	item        item
	parts       []string
	partClosed  []bool
	annotations []int
	text        string
	textDone    bool
	done        json.RawMessage
}

// grammar checks the order of events and that they agree with each other.
type grammar struct {
	t     require.TestingT
	next  int64
	phase string
	items []*itemState
	ended bool
	final *response
}

func parseEvents(t require.TestingT, stream string) (all []event) {
	require.True(t, stream == "" || strings.HasSuffix(stream, "\n\n"))
	for _, frame := range strings.Split(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
		name, data, ok := strings.Cut(frame, "\n")
		require.True(t, ok, frame)
		require.NotContains(t, data, "\n")
		var e event
		require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(data, "data: ")), &e), data)
		require.Equal(t, "event: "+e.Type, name)
		all = append(all, e)
	}
	return all
}

// checkGrammar fails if the stream breaks the protocol. It returns the final response, which
// is nil if the stream consists of an error.
func checkGrammar(t require.TestingT, stream string) *response {
	g := grammar{t: t}
	for _, e := range parseEvents(t, stream) {
		g.check(&e)
	}
	require.True(t, g.ended, "the stream has no end")
	return g.final
}

func (g *grammar) check(e *event) {
	require.False(g.t, g.ended, "an event after the end: %s", e.Type)
	require.NotNil(g.t, e.Sequence, e.Type)
	require.Equal(g.t, g.next, *e.Sequence)
	g.next++
	if e.Type != "error" {
		require.Nil(g.t, e.Error, "clients stop at a member error")
	}
	switch {
	case e.Type == "error":
		require.Empty(g.t, g.phase, "an error event after the start")
		require.NotNil(g.t, e.Error)
		require.NotEmpty(g.t, e.Code)
		g.ended = true
	case g.phase == "":
		require.Equal(g.t, "response.created", e.Type)
		g.phase = "created"
	case g.phase == "created":
		require.Equal(g.t, "response.in_progress", e.Type)
		g.phase = "in_progress"
	default:
		g.checkBody(e)
	}
	if e.Response != nil {
		require.Equal(g.t, "response", e.Response.Object)
		require.NotEmpty(g.t, e.Response.ID)
		require.NotNil(g.t, e.Response.Output)
	}
}

func (g *grammar) checkBody(e *event) {
	switch e.Type {
	case "response.completed", "response.incomplete", "response.failed":
		g.checkEnd(e)
	case "response.output_item.added":
		require.Equal(g.t, len(g.items), e.OutputIndex)
		st := &itemState{}
		require.NoError(g.t, json.Unmarshal(e.Item, &st.item))
		require.Empty(g.t, st.item.Content)
		require.Empty(g.t, st.item.Summary)
		require.Empty(g.t, st.item.Arguments)
		require.NotEmpty(g.t, st.item.ID)
		g.items = append(g.items, st)
	default:
		require.Less(g.t, e.OutputIndex, len(g.items), e.Type)
		st := g.items[e.OutputIndex]
		require.Nil(g.t, st.done, "an event after the end of its item: %s", e.Type)
		if e.Type == "response.output_item.done" {
			g.checkDone(st, e)
			return
		}
		require.Equal(g.t, st.item.ID, e.ItemID)
		g.checkItemEvent(st, e)
	}
}

func (g *grammar) checkItemEvent(st *itemState, e *event) {
	switch e.Type {
	case "response.content_part.added":
		g.requireType(st, "message")
		require.Equal(g.t, len(st.parts), e.ContentIndex)
		require.NotContains(g.t, st.partClosed, false, "the previous part is open")
		st.parts, st.partClosed, st.annotations = append(st.parts, ""), append(st.partClosed, false), append(st.annotations, 0)
	case "response.output_text.delta", "response.refusal.delta":
		g.requireOpenPart(st, e)
		st.parts[e.ContentIndex] += e.Delta
	case "response.output_text.annotation.added":
		g.requireOpenPart(st, e)
		require.Equal(g.t, st.annotations[e.ContentIndex], e.AnnotationAt)
		require.NotNil(g.t, e.Annotation)
		st.annotations[e.ContentIndex]++
	case "response.output_text.done", "response.refusal.done":
		g.requireOpenPart(st, e)
		require.Equal(g.t, st.parts[e.ContentIndex], e.Text+e.Refusal)
	case "response.content_part.done":
		g.requireOpenPart(st, e)
		var part struct{ Text, Refusal string }
		require.NoError(g.t, json.Unmarshal(e.Part, &part))
		require.Equal(g.t, st.parts[e.ContentIndex], part.Text+part.Refusal)
		st.partClosed[e.ContentIndex] = true
	case "response.reasoning_summary_part.added":
		g.requireType(st, "reasoning")
		require.Empty(g.t, st.parts)
		st.parts, st.partClosed = []string{""}, []bool{false}
	case "response.reasoning_summary_text.delta":
		g.requireType(st, "reasoning")
		require.Equal(g.t, []bool{false}, st.partClosed)
		st.parts[0] += e.Delta
	case "response.reasoning_summary_text.done":
		require.Equal(g.t, []bool{false}, st.partClosed)
		require.Equal(g.t, st.parts[0], e.Text)
	case "response.reasoning_summary_part.done":
		require.Equal(g.t, []bool{false}, st.partClosed)
		st.partClosed[0] = true
	default:
		g.checkCallEvent(st, e)
	}
}

func (g *grammar) checkCallEvent(st *itemState, e *event) {
	require.False(g.t, st.textDone, e.Type)
	switch e.Type {
	case "response.function_call_arguments.delta":
		g.requireType(st, "function_call")
		st.text += e.Delta
	case "response.custom_tool_call_input.delta":
		g.requireType(st, "custom_tool_call")
		st.text += e.Delta
	case "response.function_call_arguments.done", "response.custom_tool_call_input.done":
		require.Equal(g.t, st.text, e.Arguments+e.Input)
		st.textDone = true
	default:
		require.Fail(g.t, "unknown event", e.Type)
	}
}

func (g *grammar) requireType(st *itemState, kind string) { require.Equal(g.t, kind, st.item.Type) }

func (g *grammar) requireOpenPart(st *itemState, e *event) {
	g.requireType(st, "message")
	require.Equal(g.t, len(st.parts)-1, e.ContentIndex, e.Type)
	require.False(g.t, st.partClosed[e.ContentIndex], e.Type)
}

// checkDone checks that an item contains what its events have said.
func (g *grammar) checkDone(st *itemState, e *event) {
	var done item
	require.NoError(g.t, json.Unmarshal(e.Item, &done))
	require.NotContains(g.t, st.partClosed, false, "a part is open")
	require.Equal(g.t, []string{st.item.ID, st.item.Type, st.item.Name, st.item.Namespace, st.item.CallID},
		[]string{done.ID, done.Type, done.Name, done.Namespace, done.CallID})
	switch done.Type {
	case "message":
		require.Len(g.t, done.Content, len(st.parts))
		for i, part := range done.Content {
			require.Equal(g.t, st.parts[i], part.Text+part.Refusal)
			require.Len(g.t, part.Annotations, st.annotations[i])
		}
	case "reasoning":
		require.Len(g.t, done.Summary, len(st.parts))
		for i, part := range done.Summary {
			require.Equal(g.t, st.parts[i], part.Text)
		}
	default:
		require.True(g.t, st.textDone)
		require.Equal(g.t, st.text, done.Arguments+done.Input)
	}
	st.done = e.Item
}

func (g *grammar) checkEnd(e *event) {
	g.ended, g.final = true, e.Response
	require.Equal(g.t, "response."+e.Response.Status, e.Type)
	if e.Type == "response.failed" {
		require.NotNil(g.t, e.Response.Error)
		require.NotEmpty(g.t, e.Code)
		return
	}
	require.Nil(g.t, e.Response.Error)
	require.Len(g.t, e.Response.Output, len(g.items))
	for i, st := range g.items {
		require.NotNil(g.t, st.done, "an item is open")
		require.JSONEq(g.t, string(st.done), string(e.Response.Output[i]))
	}
}

func TestGrammarFindsFaults(t *testing.T) {
	var faults faultRecorder
	good := `event: error` + "\n" + `data: {"type":"error","sequence_number":0,"code":"X","error":{}}` + "\n\n"
	checkGrammar(&faults, good)
	require.Zero(t, faults.count)
	for _, bad := range []string{
		strings.Replace(good, `:0,`, `:1,`, 1), strings.Replace(good, "event: error", "event: x", 1), good + good,
		"event: response.created\n" + `data: {"type":"response.created","sequence_number":0,"response":{"id":"r","object":"response","output":[]}}` + "\n\n",
	} {
		faults.count = 0
		checkGrammar(&faults, bad)
		require.Positive(t, faults.count, bad)
	}
}

// faultRecorder counts failures instead of reporting them.
type faultRecorder struct{ count int }

func (f *faultRecorder) Errorf(string, ...any) { f.count++ }
func (f *faultRecorder) FailNow()              {}
