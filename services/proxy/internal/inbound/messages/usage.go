package messages

import (
	"strconv"

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

// nativeUsage holds the token counts that an upstream of the same protocol reports.
type nativeUsage struct {
	input, cacheRead, cacheWrite, output int64
	// cacheWriteSum is the sum of the cache writes of all lifetimes. cacheWrite1h is the part
	// with a lifetime of one hour.
	cacheWriteSum, cacheWrite1h, thinking int64
	// hasAny is set once a count was reported.
	hasAny bool
	// unpriced names the reported items whose price the catalog does not know.
	unpriced []string
}

// read updates the counts. A stream reports counts at its start and at its end. A count that
// is missing at the end keeps its value.
func (u *nativeUsage) read(report []byte) {
	for name, v := range jsonscan.Members(report) {
		switch string(name) {
		case "input_tokens":
			u.setCount(&u.input, v)
		case "cache_read_input_tokens":
			u.setCount(&u.cacheRead, v)
		case "cache_creation_input_tokens":
			u.setCount(&u.cacheWrite, v)
		case "output_tokens":
			u.setCount(&u.output, v)
		case "cache_creation":
			u.readCacheWrites(v)
		case "output_tokens_details":
			u.setCount(&u.thinking, jsonscan.Member(v, "thinking_tokens"))
		default:
			u.readUnpriced(string(name), v)
		}
	}
}

func (u *nativeUsage) readCacheWrites(byLifetime []byte) {
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

// setCount stores a plausible count.
func (u *nativeUsage) setCount(dst *int64, v []byte) {
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err == nil && n >= 0 && n <= maxCount {
		*dst, u.hasAny = n, true
	}
}

// buckets returns the counts, or nil if none was reported.
func (u *nativeUsage) buckets() *catalog.Usage {
	if !u.hasAny {
		return nil
	}
	write := max(u.cacheWrite, u.cacheWriteSum)
	return &catalog.Usage{
		Input: u.input, CacheRead: u.cacheRead, CacheWrite: write, CacheWrite1h: min(u.cacheWrite1h, write),
		Output: u.output, Reasoning: min(u.thinking, u.output),
	}
}
