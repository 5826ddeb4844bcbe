package signals

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

var base = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

// answered returns a record with captured text.
func answered(p record.Protocol, request, response string) *record.Record {
	return &record.Record{
		ID: uuid.Must(uuid.NewV7()), AccountID: "acc", KeyID: "key", Time: base, Endpoint: "chat", Protocol: p, Model: "small",
		Outcome: record.OutcomeOK, Capture: record.CaptureFull, CostBasis: record.CostFinal, Tokens: record.Tokens{Output: 5},
		Content: &record.Content{
			Request: []byte(request), Response: []byte(response), RequestBytes: int64(len(request)), ResponseBytes: int64(len(response)),
		},
	}
}

func kinds(items []evidence.Item) (all []evidence.Kind) {
	for _, i := range items {
		all = append(all, i.Kind)
	}
	return all
}

func examine(records ...*record.Record) (all []evidence.Item) {
	for _, r := range NewDetector().Examine(records) {
		all = append(all, r.Signals...)
	}
	return all
}

func quote(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

func chatSays(text, finish string) string {
	return `{"choices":[{"message":{"role":"assistant","content":` + quote(text) + `},"finish_reason":"` + finish + `"}]}`
}

func chatCalls(name, arguments string) string {
	return `{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"` + name + `","arguments":` + quote(arguments) + `}}]},"finish_reason":"tool_calls"}]}`
}

const (
	plainChat  = `{"messages":[{"role":"user","content":"What is the capital of France?"}]}`
	schemaChat = `{"messages":[],"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"object","required":["city"],"additionalProperties":false,"properties":{"city":{"type":"string"},"size":{"$ref":"#/$defs/size"}},"$defs":{"size":{"type":["integer","null"],"enum":[1,2,null]}}}}}}`
	toolChat   = `{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"find","arguments":"{\"q\": \"x\"}"}}]},{"role":"tool","content":"-"}],"tools":[{"type":"function","function":{"name":"find","parameters":{"type":"object","required":["q"],"properties":{"q":{"type":"string"}}}}}]}`
)

func TestSignalsOfChats(t *testing.T) {
	looping := "Intro. " + strings.Repeat("the same sentence again and again. ", 6)
	for name, c := range map[string]struct {
		request, response string
		want              []evidence.Kind
	}{
		"fine":                   {plainChat, chatSays("Paris.", "stop"), nil},
		"empty":                  {plainChat, chatSays("", "stop"), []evidence.Kind{evidence.Empty}},
		"truncated":              {plainChat, chatSays("Par", "length"), []evidence.Kind{evidence.Truncated}},
		"filtered":               {plainChat, chatSays("", "content_filter"), []evidence.Kind{evidence.Refusal}},
		"refused":                {plainChat, chatSays("I’m sorry, but I can't help with that.", "stop"), []evidence.Kind{evidence.Refusal}},
		"sorry, then an answer":  {plainChat, chatSays("I'm sorry, but I can't say for sure: "+strings.Repeat("but here is the whole answer, ", 20)+"done", "stop"), nil},
		"a loop":                 {plainChat, chatSays(looping, "stop"), []evidence.Kind{evidence.Loop}},
		"a ruler":                {plainChat, chatSays(strings.Repeat("-", 4000), "stop"), nil},
		"right JSON":             {schemaChat, chatSays(`{"city":"Paris","size":2}`, "stop"), nil},
		"null is allowed":        {schemaChat, chatSays(`{"city":"Paris","size":null}`, "stop"), nil},
		"no JSON":                {schemaChat, chatSays("```json\n{}\n```", "stop"), []evidence.Kind{evidence.InvalidJSON}},
		"a missing field":        {schemaChat, chatSays(`{"size":1}`, "stop"), []evidence.Kind{evidence.InvalidJSON}},
		"a wrong type":           {schemaChat, chatSays(`{"city":1}`, "stop"), []evidence.Kind{evidence.InvalidJSON}},
		"a wrong value":          {schemaChat, chatSays(`{"city":"P","size":3}`, "stop"), []evidence.Kind{evidence.InvalidJSON}},
		"another field":          {schemaChat, chatSays(`{"city":"P","x":3}`, "stop"), []evidence.Kind{evidence.InvalidJSON}},
		"two values":             {schemaChat, chatSays(`{"city":"P"} {}`, "stop"), []evidence.Kind{evidence.InvalidJSON}},
		"cut JSON is truncated":  {schemaChat, chatSays(`{"city":`, "length"), []evidence.Kind{evidence.Truncated}},
		"a right call":           {toolChat, chatCalls("find", `{"q":"y"}`), nil},
		"the same call again":    {toolChat, chatCalls("find", `{"q":"x"}`), []evidence.Kind{evidence.Loop}},
		"an unknown tool":        {toolChat, chatCalls("lookup", `{"q":"y"}`), []evidence.Kind{evidence.InvalidToolArguments}},
		"broken arguments":       {toolChat, chatCalls("find", `{"q":`), []evidence.Kind{evidence.InvalidToolArguments}},
		"wrong arguments":        {toolChat, chatCalls("find", `{"q":7}`), []evidence.Kind{evidence.InvalidToolArguments}},
		"an unreadable request":  {`{"messages"`, chatCalls("find", `{}`), nil},
		"an unreadable response": {plainChat, `{"choices"`, nil},
	} {
		got := examine(answered(record.ProtocolChat, c.request, c.response))
		require.Equal(t, c.want, kinds(got), name)
		for _, e := range got {
			require.Equal(t, "acc", e.AccountID)
			require.Zero(t, e.Score)
			require.Equal(t, evidence.WeightOf(e.Kind), e.Weight)
			require.NotEmpty(t, e.Reason)
		}
	}
}

func TestSignalsOfOtherProtocols(t *testing.T) {
	messages := `{"messages":[{"role":"user","content":[{"type":"text","text":"find it"}]}],"tools":[{"name":"find","input_schema":{"type":"object","required":["q"]}}]}`
	responses := `{"input":"Give me JSON","text":{"format":{"type":"json_schema","schema":{"type":"object","required":["a"]}}}}`
	gemini := `{"contents":[{"parts":[{"text":"hi"}]}],"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","required":["a"],"properties":{"a":{"type":"INTEGER"}}}}}`
	for name, c := range map[string]struct {
		protocol          record.Protocol
		request, response string
		want              []evidence.Kind
	}{
		"messages":           {record.ProtocolMessages, messages, `{"content":[{"type":"text","text":"Here."}],"stop_reason":"end_turn"}`, nil},
		"messages call":      {record.ProtocolMessages, messages, `{"content":[{"type":"tool_use","name":"find","input":{}}],"stop_reason":"tool_use"}`, []evidence.Kind{evidence.InvalidToolArguments}},
		"messages refusal":   {record.ProtocolMessages, messages, `{"content":[],"stop_reason":"refusal"}`, []evidence.Kind{evidence.Refusal}},
		"messages cut":       {record.ProtocolMessages, messages, `{"content":[{"type":"text","text":"He"}],"stop_reason":"max_tokens"}`, []evidence.Kind{evidence.Truncated}},
		"messages empty":     {record.ProtocolMessages, messages, `{"content":[],"stop_reason":"end_turn"}`, []evidence.Kind{evidence.Empty}},
		"messages in chunks": {record.ProtocolMessages, messages, chatCalls("find", `{}`), []evidence.Kind{evidence.InvalidToolArguments}},
		"responses":          {record.ProtocolResponses, responses, `{"output":[{"type":"message","content":[{"type":"output_text","text":"{\"a\":1}"}]}]}`, nil},
		"responses JSON":     {record.ProtocolResponses, responses, `{"output":[{"type":"message","content":[{"type":"output_text","text":"{}"}]}]}`, []evidence.Kind{evidence.InvalidJSON}},
		"responses cut":      {record.ProtocolResponses, responses, `{"output":[{"type":"message","content":[]}],"incomplete_details":{"reason":"max_output_tokens"}}`, []evidence.Kind{evidence.Truncated}},
		"responses refusal":  {record.ProtocolResponses, responses, `{"output":[{"type":"message","content":[{"type":"refusal","refusal":"no"}]}]}`, []evidence.Kind{evidence.Refusal}},
		"gemini":             {record.ProtocolGemini, gemini, `{"candidates":[{"content":{"parts":[{"text":"{\"a\":1}"}]},"finishReason":"STOP"}]}`, nil},
		"gemini JSON":        {record.ProtocolGemini, gemini, `{"candidates":[{"content":{"parts":[{"text":"{\"a\":1.5}"}]},"finishReason":"STOP"}]}`, []evidence.Kind{evidence.InvalidJSON}},
		"gemini cut":         {record.ProtocolGemini, gemini, `{"candidates":[{"content":{"parts":[{"text":"{"}]},"finishReason":"MAX_TOKENS"}]}`, []evidence.Kind{evidence.Truncated}},
		"gemini filtered":    {record.ProtocolGemini, gemini, `{"candidates":[{"finishReason":"SAFETY"}]}`, []evidence.Kind{evidence.Refusal}},
	} {
		require.Equal(t, c.want, kinds(examine(answered(c.protocol, c.request, c.response))), name)
	}
}

func TestSignalsWithoutText(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*record.Record)
		want   []evidence.Kind
	}{
		"fine":             {func(*record.Record) {}, nil},
		"no output":        {func(r *record.Record) { r.Tokens.Output = 0 }, []evidence.Kind{evidence.Empty}},
		"unknown output":   {func(r *record.Record) { r.Tokens.Output, r.CostBasis = 0, record.CostEstimated }, nil},
		"at the limit":     {func(r *record.Record) { r.Inputs = &record.DecisionInputs{MaxOutputTokens: 5} }, []evidence.Kind{evidence.Truncated}},
		"below the limit":  {func(r *record.Record) { r.Inputs = &record.DecisionInputs{MaxOutputTokens: 6} }, nil},
		"stopped":          {func(r *record.Record) { r.Outcome, r.Stream, r.TTFT = record.OutcomeClientClosed, true, 9 }, []evidence.Kind{evidence.Stopped}},
		"stopped at once":  {func(r *record.Record) { r.Outcome, r.Stream = record.OutcomeClientClosed, true }, nil},
		"not a stream":     {func(r *record.Record) { r.Outcome, r.TTFT = record.OutcomeClientClosed, 9 }, nil},
		"a provider error": {func(r *record.Record) { r.Outcome, r.Tokens.Output = record.OutcomeError, 0 }, nil},
		"embeddings":       {func(r *record.Record) { r.Endpoint, r.Tokens.Output = "embeddings", 0 }, nil},
	} {
		r := answered(record.ProtocolChat, "", "")
		r.Content, r.Capture = nil, record.CaptureNone
		c.change(r)
		require.Equal(t, c.want, kinds(examine(r)), name)
	}
}

// Redaction may replace a number by a word, so redacted JSON proves nothing.
func TestRedactedTextIsNotCheckedAsJSON(t *testing.T) {
	r := answered(record.ProtocolChat, schemaChat, chatSays("[number]", "stop"))
	r.Capture = record.CaptureRedacted
	require.Empty(t, examine(r))
	r = answered(record.ProtocolChat, toolChat, chatCalls("find", `[phone]`))
	r.Capture = record.CaptureRedacted
	require.Empty(t, examine(r))
	r = answered(record.ProtocolChat, plainChat, chatSays("", "content_filter"))
	r.Capture = record.CaptureRedacted
	require.Equal(t, []evidence.Kind{evidence.Refusal}, kinds(examine(r)))
}

// A body that was cut at the capture limit is not judged.
func TestCutTextIsNotJudged(t *testing.T) {
	r := answered(record.ProtocolChat, schemaChat, chatSays("no JSON", "stop"))
	r.Content.ResponseBytes++
	require.Empty(t, examine(r))
}

func TestTheWorkOnASchemaIsBounded(t *testing.T) {
	// Each level doubles the work: 2^60 steps without a limit.
	defs := map[string]any{}
	for i := range 60 {
		next := map[string]any{"$ref": "#/$defs/d" + string(rune('A'+i+1))}
		defs["d"+string(rune('A'+i))] = map[string]any{"allOf": []any{next, next}}
	}
	require.Empty(t, checkSchema(map[string]any{"$ref": "#/$defs/dA", "$defs": defs}, 1.0))
	endless := map[string]any{"$ref": "#"}
	require.Empty(t, checkSchema(endless, 1.0))
	require.Empty(t, checkSchema(map[string]any{"$ref": "https://example.com/schema.json"}, 1.0))
}

func FuzzExamine(f *testing.F) {
	f.Add(0, schemaChat, chatSays("x", "stop"))
	f.Add(1, toolChat, chatCalls("a", "b"))
	f.Fuzz(func(t *testing.T, protocol int, request, response string) {
		all := []record.Protocol{record.ProtocolChat, record.ProtocolMessages, record.ProtocolResponses, record.ProtocolGemini}
		examine(answered(all[uint(protocol)%4], request, response))
	})
}
