package traffic

import (
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/canned"
)

// The protocols of the agent loads. Their requests are like those of a coding agent late in its
// work: a system prompt, many tools and turns, calls and their results.
const (
	ProtocolChat      = "chat"
	ProtocolMessages  = "messages"
	ProtocolResponses = "responses"
	ProtocolGemini    = "gemini"
)

const (
	// AgentBytes is the length of an agent's request.
	AgentBytes = 500 << 10
	// agentTools is the number of tools. resultBytes is about the length of a tool's result.
	agentTools  = 30
	resultBytes = 4 << 10
)

// agentModel returns the name of a model at an upstream of the protocol, so that the gateway
// passes the request on unchanged.
func agentModel(protocol string) string { return "agent-" + protocol }

// agentEndpoint returns the path of a protocol's endpoint below the path of the API.
func agentEndpoint(base, protocol string) string {
	switch protocol {
	case ProtocolMessages, ProtocolResponses:
		return base + "/" + protocol
	case ProtocolGemini:
		return base + "beta/models/" + agentModel(protocol) + ":generateContent"
	}
	return base + "/chat/completions"
}

// agentSyntax writes the parts of a request in one protocol. Texts are escaped already.
type agentSyntax struct {
	// start holds the model and the options, up to the system prompt, tools its separator.
	start, tools, turns, end string
	// tool, call and result are formats with the number of the tool or call, and a text.
	tool, call, result string
	// last is the format of the last message.
	last string
}

const toolSchema = `{"type":"object","properties":{"path":{"type":"string","description":"The path of the file, relative to the folder of the project."},` +
	`"limit":{"type":"integer"},"lines":{"type":"array","items":{"type":"string"}}},"required":["path"],"additionalProperties":false}`

var agentSyntaxes = map[string]agentSyntax{
	ProtocolChat: {
		start: `{"model":"agent-chat","max_completion_tokens":4096,"tools":[`, tools: `],"messages":[{"role":"system","content":"`, turns: `"},{"role":"user","content":"Fix the test."}`,
		tool:   `{"type":"function","function":{"name":"tool_%d","description":"%s","parameters":` + toolSchema + `}}`,
		call:   `,{"role":"assistant","content":null,"tool_calls":[{"id":"call_%d","type":"function","function":{"name":"tool_1","arguments":"{\"path\":\"%s\"}"}}]}`,
		result: `,{"role":"tool","tool_call_id":"call_%d","content":"%s"}`,
		last:   `,{"role":"user","content":"%s"}`, end: `]}`,
	},
	ProtocolMessages: {
		start: `{"model":"agent-messages","max_tokens":4096,"metadata":{"user_id":"u"},"tools":[`, tools: `],"system":[{"type":"text","text":"`,
		turns:  `","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"Fix the test."}]}`,
		tool:   `{"name":"tool_%d","description":"%s","input_schema":` + toolSchema + `}`,
		call:   `,{"role":"assistant","content":[{"type":"tool_use","id":"call_%d","name":"tool_1","input":{"path":"%s"}}]}`,
		result: `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_%d","content":"%s"}]}`,
		last:   `,{"role":"user","content":[{"type":"text","text":"%s","cache_control":{"type":"ephemeral"}}]}`, end: `]}`,
	},
	ProtocolResponses: {
		start: `{"model":"agent-responses","store":false,"tools":[`, tools: `],"instructions":"`,
		turns:  `","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Fix the test."}]}`,
		tool:   `{"type":"function","name":"tool_%d","description":"%s","strict":false,"parameters":` + toolSchema + `}`,
		call:   `,{"type":"function_call","call_id":"call_%d","name":"tool_1","arguments":"{\"path\":\"%s\"}"}`,
		result: `,{"type":"function_call_output","call_id":"call_%d","output":"%s"}`,
		last:   `,{"type":"message","role":"user","content":[{"type":"input_text","text":"%s"}]}`, end: `]}`,
	},
	ProtocolGemini: {
		start: `{"generationConfig":{"maxOutputTokens":4096},"tools":[{"functionDeclarations":[`, tools: `]}],"systemInstruction":{"parts":[{"text":"`,
		turns:  `"}]},"contents":[{"role":"user","parts":[{"text":"Fix the test."}]}`,
		tool:   `{"name":"tool_%d","description":"%s","parametersJsonSchema":` + toolSchema + `}`,
		call:   `,{"role":"model","parts":[{"functionCall":{"id":"call_%d","name":"tool_1","args":{"path":"%s"}}}]}`,
		result: `,{"role":"user","parts":[{"functionResponse":{"id":"call_%d","name":"tool_1","response":{"output":"%s"}}}]}`,
		last:   `,{"role":"user","parts":[{"text":"%s"}]}`, end: `]}`,
	},
}

// agentBody returns a request of n bytes.
func agentBody(protocol string, n int) string {
	s := agentSyntaxes[protocol]
	var b strings.Builder
	b.WriteString(s.start)
	for i := range agentTools {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, s.tool, i+1, canned.Prose(400))
	}
	b.WriteString(s.tools + canned.Prose(8<<10) + s.turns)
	end := len(fmt.Sprintf(s.last, "")) + len(s.end)
	for i := 1; ; i++ {
		turn := fmt.Sprintf(s.call, i, "internal/signal/box.go") + fmt.Sprintf(s.result, i, sourceText(resultBytes))
		if b.Len()+len(turn)+end > n {
			break
		}
		b.WriteString(turn)
	}
	fmt.Fprintf(&b, s.last, canned.Prose(n-b.Len()-end))
	return b.String() + s.end
}

// sourceText returns about n bytes of escaped source code, which is most of an agent's context.
func sourceText(n int) string {
	const line = `\tif err := box.set(ctx, \"A12\", Clear); err != nil {\n\t\treturn fmt.Errorf(\"set: %v\", err)\n\t}\n`
	return strings.Repeat(line, n/len(line))
}
