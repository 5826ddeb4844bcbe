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
	// charged holds other members that change the price, as raw JSON.
	charged []byte
}

// read reads a usage object.
func (u *usage) read(report []byte) {
	for name, v := range jsonscan.Members(report) {
		before := len(u.Unpriced)
		switch {
		case u.ReadMember(string(name), v):
		case string(name) == "server_tool_use" && isObject(v):
			u.serverToolUse = append(u.serverToolUse[:0], v...)
		case len(u.Unpriced) > before:
			u.charged = append(jsonscan.AppendQuoted(u.charged, name), ':')
			u.charged = append(append(u.charged, v...), ',')
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
	dst = appendMember(dst, "server_tool_use", u.serverToolUse)
	return closeWith(append(dst, u.charged...), "}")
}
