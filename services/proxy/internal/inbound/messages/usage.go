package messages

import (
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// usage holds the token counts of one response.
type usage struct {
	catalog.Usage
	// serverToolUse counts the calls of tools that the vendor runs, as raw JSON.
	serverToolUse []byte
}

// readChat reads the usage of a chat. A chat counts cached tokens as part of its prompt.
func (u *usage) readChat(r *jsonscan.Reader) {
	v := r.Value()
	if jsonscan.IsNull(v) {
		return
	}
	var report usagereport.Report
	var in jsonscan.Reader
	in.Reset(v, true)
	report.ReadFrom(&in)
	if buckets := report.Buckets(); buckets != nil {
		u.Usage = *buckets
	}
	if tools := jsonscan.Member(v, "server_tool_use"); isObject(tools) {
		u.serverToolUse = append(u.serverToolUse[:0], tools...)
	}
}

// appendMember appends the member usage.
func (u *usage) appendMember(dst []byte) []byte {
	dst = appendNumber(append(dst, `"usage":{`...), "input_tokens", u.Input)
	dst = appendNumber(dst, "cache_creation_input_tokens", u.CacheWrite)
	dst = appendNumber(dst, "cache_read_input_tokens", u.CacheRead)
	dst = appendNumber(append(dst, `"cache_creation":{`...), "ephemeral_5m_input_tokens", u.CacheWrite-u.CacheWrite1h)
	dst = closeWith(appendNumber(dst, "ephemeral_1h_input_tokens", u.CacheWrite1h), "},")
	dst = appendNumber(dst, "output_tokens", u.Output)
	if u.Reasoning > 0 {
		dst = closeWith(appendNumber(append(dst, `"output_tokens_details":{`...), "thinking_tokens", u.Reasoning), "},")
	}
	return closeWith(appendMember(dst, "server_tool_use", u.serverToolUse), "},")
}

// nativeUsage is what an upstream of the same protocol reports.
type nativeUsage struct{ usagereport.Anthropic }

// read reads a usage object.
func (u *nativeUsage) read(report []byte) {
	for name, v := range jsonscan.Members(report) {
		u.ReadMember(string(name), v)
	}
}

// noteServerTool adds the tool that a server_tool_use block calls. The usage does not count
// the calls of all tools.
func (u *nativeUsage) noteServerTool(kind, name []byte) {
	if string(kind) == `"server_tool_use"` {
		u.AddTool(stringValue(name))
	}
}
