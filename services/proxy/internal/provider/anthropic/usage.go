package anthropic

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// usage holds the token counts reported so far. input includes neither cache reads
// nor cache writes.
type usage struct {
	input, cacheRead, cacheWrite, output int64
	// cacheWriteSum is the sum of the cache writes of all lifetimes. cacheWrite1h is the
	// part with a lifetime of one hour.
	cacheWriteSum, cacheWrite1h, thinking int64
	serverToolUse                         []byte
	// hasAny is set once any count has been reported. hasInput and hasThinking are set
	// once the input count and the thinking count have been reported.
	hasAny, hasInput, hasThinking bool
}

// read updates the counts. A stream reports counts at its start and at its end. A count that
// is missing at the end keeps its value.
func (u *usage) read(report []byte) {
	for name, v := range jsonscan.Members(report) {
		switch string(name) {
		case "input_tokens":
			u.hasInput = u.setCount(&u.input, v) || u.hasInput
		case "cache_read_input_tokens":
			u.setCount(&u.cacheRead, v)
		case "cache_creation_input_tokens":
			u.setCount(&u.cacheWrite, v)
		case "output_tokens":
			u.setCount(&u.output, v)
		case "cache_creation":
			u.readCacheWrites(v)
		case "output_tokens_details":
			u.hasThinking = u.setCount(&u.thinking, jsonscan.Member(v, "thinking_tokens")) || u.hasThinking
		case "server_tool_use":
			if isObject(v) {
				u.serverToolUse = append(u.serverToolUse[:0], v...)
			}
		}
	}
}

// readCacheWrites reads the cache writes by lifetime.
func (u *usage) readCacheWrites(byLifetime []byte) {
	if !isObject(byLifetime) {
		return
	}
	var short int64
	u.setCount(&short, jsonscan.Member(byLifetime, "ephemeral_5m_input_tokens"))
	u.setCount(&u.cacheWrite1h, jsonscan.Member(byLifetime, "ephemeral_1h_input_tokens"))
	u.cacheWriteSum = short + u.cacheWrite1h
}

// maxCount is above any real token count. Sums of such counts do not overflow int64.
const maxCount = 1 << 40

// setCount stores a plausible token count. It returns false for any other value and does not
// store it.
func (u *usage) setCount(dst *int64, v []byte) bool {
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil || n < 0 || n > maxCount {
		return false
	}
	*dst, u.hasAny = n, true
	return true
}

// appendUsage appends the usage in the OpenAI format. In that format, prompt_tokens includes
// cache reads and writes. withOutput is false if the output is not known yet.
func (u *usage) appendUsage(dst []byte, withOutput bool) []byte {
	write := max(u.cacheWrite, u.cacheWriteSum)
	prompt := u.input + u.cacheRead + write
	dst = appendNumber(append(dst, '{'), "prompt_tokens", prompt)
	if withOutput {
		dst = appendNumber(dst, "completion_tokens", u.output)
		dst = appendNumber(dst, "total_tokens", prompt+u.output)
	}
	dst = appendNumber(append(dst, `"prompt_tokens_details":{`...), "cached_tokens", u.cacheRead)
	dst = appendNumber(dst, "cache_write_tokens", write)
	dst = closeWith(appendNumber(dst, "cache_write_1h_tokens", min(u.cacheWrite1h, write)), "},")
	if u.hasThinking {
		dst = append(dst, `"completion_tokens_details":{`...)
		dst = closeWith(appendNumber(dst, "reasoning_tokens", u.thinking), "},")
	}
	return closeWith(appendMember(dst, "server_tool_use", u.serverToolUse), "}")
}
