package anthropic

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/usagereport"
)

// usage holds what was reported so far.
type usage struct {
	usagereport.Anthropic
	// serverToolUse counts the calls of tools that Anthropic runs, as raw JSON.
	serverToolUse []byte
}

// read reads a usage object.
func (u *usage) read(report []byte) {
	for name, v := range jsonscan.Members(report) {
		if !u.ReadMember(string(name), v) && string(name) == "server_tool_use" && isObject(v) {
			u.serverToolUse = append(u.serverToolUse[:0], v...)
		}
	}
}

// appendUsage appends the usage in the OpenAI format. In that format, prompt_tokens includes
// cache reads and writes. withOutput is false if the output is not known yet.
func (u *usage) appendUsage(dst []byte, withOutput bool) []byte {
	write, oneHour := u.CacheWrites()
	prompt := u.Input + u.CacheRead + write
	dst = appendNumber(append(dst, '{'), "prompt_tokens", prompt)
	if withOutput {
		dst = appendNumber(dst, "completion_tokens", u.Output)
		dst = appendNumber(dst, "total_tokens", prompt+u.Output)
	}
	dst = appendNumber(append(dst, `"prompt_tokens_details":{`...), "cached_tokens", u.CacheRead)
	dst = appendNumber(dst, "cache_write_tokens", write)
	dst = closeWith(appendNumber(dst, "cache_write_1h_tokens", oneHour), "},")
	if u.HasThinking {
		dst = append(dst, `"completion_tokens_details":{`...)
		dst = closeWith(appendNumber(dst, "reasoning_tokens", u.Thinking), "},")
	}
	return closeWith(appendMember(dst, "server_tool_use", u.serverToolUse), "}")
}
