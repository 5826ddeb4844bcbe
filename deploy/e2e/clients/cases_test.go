package clients

import (
	"slices"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// testCase is one case that every library runs.
type testCase struct {
	name string
	// kind is the call to make: chat, stream (chunk by chunk), helper (the library
	// assembles the chunks), parse (into a JSON schema), embed, models or model.
	kind  string
	model string
	key   string
	tools bool
	// orphans means that the client sends empty tools and options that need tools. OpenAI rejects
	// them, so the gateway must not forward them. Libraries that cannot send them skip them.
	orphans bool
	// headers are set by the client.
	headers map[string]string
	// plain and stream are the responses of the upstream.
	plain, stream scripted.Response
	want          observation
	// nested errors have OpenAI's format.
	nested bool
	// retry means that the gateway asks the client to retry.
	retry bool
	// restless means that the case needs the gateway with frequent keep-alive lines.
	restless bool
	sdkColumns
}

func (c testCase) at(usual, restless *gateway) *gateway {
	if c.restless {
		return restless
	}
	return usual
}

// failsMidStream reports whether the failure comes after the status was sent.
func (c testCase) failsMidStream() bool { return c.want.Error.Status == 0 }

// counted reports whether the calls of the case can be told from others.
func (c testCase) counted() bool { return c.kind != "models" && c.kind != "model" }

var cases = slices.Concat(chatCases(), toolCases(), otherCases(), errorCases(), brokenCases())

// forEachKind returns a copy of the case for every kind.
func forEachKind(c testCase, kinds ...string) []testCase {
	var all []testCase
	for _, k := range kinds {
		one := c
		one.name, one.kind = c.name+"/"+k, k
		if c.model == "" {
			one.model = "auto"
		}
		switch k {
		case "chat", "parse":
			one.want.ID = someUUID
		case "stream":
			// Only the helper requests usage; the others must not see any.
			one.want.Tokens = 0
		}
		all = append(all, one)
	}
	return all
}

var hello = observation{Role: "assistant", Text: "Hello from upstream", Finish: "stop", Tokens: 18}

func chatCases() []testCase {
	return slices.Concat(
		forEachKind(testCase{name: "hello", plain: plainResponse(helloMessage, "stop"), want: hello}, "chat"),
		// W-19
		forEachKind(testCase{name: "bare", want: hello, plain: scripted.JSON(200,
			`{"created":1760000000.5,"choices":[{"message":{"content":"Hello from upstream"}}],"usage":`+usage+`}`)}, "chat"),
		// W-27 to W-37
		streamed("hello", hello, stream(`{"role":"assistant","content":""}`, `{"content":"Hello "}`, `{"content":"from upstream"}`)),
		streamed("no role", hello, stream(`{"content":"Hello "}`, `{"content":"from upstream"}`)),
		streamed("usage with the finish", hello, events(chunk(`{"content":"Hello from upstream"}`, ""),
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":`+usage+`}`, "[DONE]")),
		streamed("usage without choices", hello, events(chunk(`{"content":"Hello from upstream"}`, "stop"), `{"usage":`+usage+`}`, "[DONE]")),
		streamed("comments", hello, scripted.Stream(": OPENROUTER PROCESSING\n\n", ": ping - 2\n\n", "event: ping\ndata: {}\n\n",
			stream(`{"content":"Hello "}`, `{"content":"from upstream"}`).Body())),
		// None of these texts between chunks is a chunk with a choice.
		streamed("heartbeats as data", hello, between("data: : keepalive\n\n", "data: ping\n\n", "event: ping\ndata: ping\n\n", "data: null\n\n", "data: []\n\n")),
		streamed("objects without choices", hello, between(`data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}`+"\n\n",
			"data: {\"type\":\"ping\"}\n\n", "data: {\"x_groq\":{\"id\":\"r\"}}\n\n", "data: {\"time\":1}\n\n")),
		streamed("choices beyond n", hello, between(`data: {"choices":[{"index":3,"delta":{"content":"x"},"finish_reason":"stop"}]}`+"\n\n")),
		streamed("no end marker", hello, events(chunk(`{"content":"Hello from upstream"}`, ""),
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":`+usage+`}`)),
		streamed("byte by byte", hello, stream(`{"content":"Hello "}`, `{"content":"from upstream"}`).Bytewise()),
		streamed("null leftovers", hello, stream(
			`{"role":"assistant","content":null,"tool_calls":null,"function_call":null,"refusal":null}`,
			`{"role":null,"content":"Hello from upstream","tool_calls":[]}`)),
		// W-35
		forEachKind(testCase{name: "silence", restless: true, want: hello,
			stream: stream(`{"content":"Hello "}`, `{"content":"from upstream"}`).Paced(200 * time.Millisecond)}, "stream", "helper"),
		streamed("json in the place of a stream", hello, plainResponse(helloMessage, "stop")),
		forEachKind(testCase{name: "orphans", orphans: true, model: "strict", plain: plainResponse(helloMessage, "stop"), want: hello,
			stream: stream(`{"content":"Hello "}`, `{"content":"from upstream"}`)}, "chat", "stream", "helper"),
		compressedCases(),
		forEachKind(testCase{name: "a stream in the place of json", plain: stream(`{"content":"Hello "}`, `{"content":"from upstream"}`), want: hello}, "chat"),
	)
}

// between returns a stream with all of the texts before, between and after its chunks.
func between(texts ...string) scripted.Response {
	all := strings.Join(texts, "")
	return scripted.Stream(all, "data: "+chunk(`{"content":"Hello "}`, "")+"\n\n", all, "data: "+chunk(`{"content":"from upstream"}`, "")+"\n\n", all,
		"data: "+chunk(`{}`, "stop")+"\n\n", all, `data: {"choices":[],"usage":`+usage+"}\n\n", all, "data: [DONE]\n\n")
}

func streamed(name string, want observation, a scripted.Response) []testCase {
	return forEachKind(testCase{name: name, stream: a, want: want, tools: want.Calls != nil}, "stream", "helper")
}

func toolCases() []testCase {
	one := observation{Role: "assistant", Finish: "tool_calls", Tokens: 18, Calls: []call{weatherIn("call_1", "Oslo")}}
	two := one
	two.Calls = []call{weatherIn("call_1", "Oslo"), weatherIn("call_2", "Bergen")}
	unnamed := one
	unnamed.Calls = []call{weatherIn(madeCallID, "Oslo")}
	whole := func(calls string) string { return `{"role":"assistant","content":null,"tool_calls":[` + calls + `]}` }
	first := `{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}`
	second := `{"id":"call_2","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Bergen\"}"}}`
	delta := func(calls string) string { return `{"tool_calls":[` + calls + `]}` }
	return slices.Concat(
		forEachKind(testCase{name: "tool", tools: true, plain: plainResponse(whole(first), "tool_calls"), want: one}, "chat"),
		forEachKind(testCase{name: "parallel tools", tools: true, plain: plainResponse(whole(first+","+second), "tool_calls"), want: two}, "chat"),
		// W-20 and W-22
		forEachKind(testCase{name: "tool with arguments as an object", tools: true, want: one, plain: plainResponse(
			whole(`{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":{"city":"Oslo"}}}`), "stop")}, "chat"),

		streamed("tool", one, toolStream(
			delta(`{"index":0,"id":"call_1","type":"function","function":{"name":"get_weather","arguments":""}}`),
			delta(`{"index":0,"function":{"arguments":"{\"city\":"}}`),
			delta(`{"index":0,"function":{"arguments":"\"Oslo\"}"}}`))),
		streamed("parallel tools", two, toolStream(
			delta(`{"index":0,"id":"call_1","type":"function","function":{"name":"get_weather","arguments":""}}`),
			delta(`{"index":0,"function":{"arguments":"{\"city\":\"Oslo\"}"}}`),
			delta(`{"index":1,"id":"call_2","type":"function","function":{"name":"get_weather","arguments":""}}`),
			delta(`{"index":1,"function":{"arguments":"{\"city\":\"Bergen\"}"}}`))),
		// The rows of WIRE 4.3, and W-32 and W-33.
		streamed("tool without index", one, toolStream(
			delta(`{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":""}}`),
			delta(`{"function":{"arguments":"{\"city\":"}}`),
			delta(`{"function":{"arguments":"\"Oslo\"}"}}`))),
		streamed("parallel tools without index", two, toolStream(delta(first), delta(second))),
		streamed("tool index from one", one, toolStream(
			delta(`{"index":1,"id":"call_1","type":"function","function":{"name":"get_weather","arguments":""}}`),
			delta(`{"index":1,"function":{"arguments":"{\"city\":\"Oslo\"}"}}`))),
		// Only the position in the list tells which call a fragment belongs to.
		streamed(interleaved, two, toolStream(
			delta(`{"index":0,"id":"call_1","type":"function","function":{"name":"get_weather","arguments":""}},{"index":0,"id":"call_2","type":"function","function":{"name":"get_weather","arguments":""}}`),
			delta(`{"index":0,"function":{"arguments":"{\"city\":"}},{"index":0,"function":{"arguments":"{\"city\":"}}`),
			delta(`{"index":0,"function":{"arguments":"\"Oslo\"}"}},{"index":0,"function":{"arguments":"\"Bergen\"}"}}`))),
		// The gateway makes the id, and OpenAI accepts it in the next turn.
		forEachKind(testCase{name: "tool without id", tools: true, want: unnamed, plain: plainResponse(
			whole(`{"type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}`), "tool_calls")}, "chat"),
		streamed("tool without id", unnamed, toolStream(
			delta(`{"index":0,"type":"function","function":{"name":"get_weather","arguments":"{\"city\":"}}`),
			delta(`{"index":0,"function":{"arguments":"\"Oslo\"}"}}`))),
		streamed("tool with id and name repeated", one, toolStream(
			delta(`{"index":0,"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":"}}`),
			delta(`{"index":0,"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"\"Oslo\"}"}}`))),
		streamed("tool without type", one, toolStream(
			delta(`{"index":0,"id":"call_1","function":{"name":"get_weather","arguments":"{\"city\":"}}`),
			delta(`{"index":0,"function":{"arguments":"\"Oslo\"}"}}`))),
		streamed("tool that finishes with stop", one, events(chunk(delta(first), ""), chunk(`{}`, "stop"),
			`{"choices":[],"usage":`+usage+`}`, "[DONE]")),
	)
}

// interleaved is the name of a case in which fragments of two tool calls alternate. The stream
// helper of openai-python and LlamaIndex complete a call as soon as another one begins.
const interleaved = "parallel tools by position"

func weatherIn(id, city string) call {
	return call{ID: id, Type: "function", Name: "get_weather", Args: map[string]string{"city": city}}
}

func otherCases() []testCase {
	parsed := observation{Role: "assistant", Text: `{"city":"Oslo","degrees":-3.5}`, Finish: "stop", Tokens: 18, Parsed: &weather{"Oslo", -3.5}}
	vectors := observation{Vectors: [][]float64{{1, 0.125}, {0.5, -0.25}}, Tokens: 5}
	return slices.Concat(
		forEachKind(testCase{name: "schema", want: parsed,
			plain: plainResponse(`{"role":"assistant","content":"{\"city\":\"Oslo\",\"degrees\":-3.5}"}`, "stop")}, "parse"),
		// W-43 and W-44: each library requests the encoding in its own way.
		forEachKind(testCase{name: "vectors", want: vectors, plain: scripted.JSON(200, `{"object":"list","model":"local-e","data":[
			{"object":"embedding","index":1,"embedding":[0.5,-0.25]},
			{"object":"embedding","index":0,"embedding":[1,0.125]}],"usage":{"prompt_tokens":5,"total_tokens":5}}`)}, "embed"),
		forEachKind(testCase{name: "all", want: observation{Models: []string{"auto", "auto-embed", "auto:economy", "auto:balanced", "auto:quality", "embed", "hurried", "small", "strict", "vendor/model-1"}}}, "models"),
		forEachKind(testCase{name: "one", model: "small", want: observation{Models: []string{"small"}}}, "model"),
		// W-46
		forEachKind(testCase{name: "one with a slash", model: "vendor/model-1", want: observation{Models: []string{"vendor/model-1"}}}, "model"),
	)
}
