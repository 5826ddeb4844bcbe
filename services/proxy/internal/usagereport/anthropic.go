package usagereport

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/namelist"
)

// maxCount is above any real token count. Sums of such counts do not overflow int64.
const maxCount = 1 << 40

// Anthropic holds the token counts that Anthropic has reported for one response. Input
// includes neither cache reads nor cache writes.
type Anthropic struct {
	Input, CacheRead, Output, Thinking int64
	// HasAny is set once any count has been reported. HasInput, HasOutput and HasThinking are set
	// once the input count, the output count and the thinking count have been reported.
	HasAny, HasInput, HasOutput, HasThinking bool
	// Unpriced names what Anthropic charges in addition to the counts that have a price.
	Unpriced namelist.List

	cacheWrite int64
	// cacheWriteSum is the sum of the cache writes of all lifetimes. cacheWrite1h is the
	// part with a lifetime of one hour.
	cacheWriteSum, cacheWrite1h int64
}

// ReadMember reads a member of a usage object. It returns false if the member holds no token
// counts that have a price. A stream reports counts at its start and at its end. A count that is missing at the
// end keeps its value.
func (a *Anthropic) ReadMember(name string, v []byte) bool {
	switch name {
	case "input_tokens":
		a.HasInput = a.setCount(&a.Input, v) || a.HasInput
	case "cache_read_input_tokens":
		a.setCount(&a.CacheRead, v)
	case "cache_creation_input_tokens":
		a.setCount(&a.cacheWrite, v)
	case "output_tokens":
		a.HasOutput = a.setCount(&a.Output, v) || a.HasOutput
	case "cache_creation":
		a.readCacheWrites(v)
	case "output_tokens_details":
		a.HasThinking = a.setCount(&a.Thinking, jsonscan.Member(v, "thinking_tokens")) || a.HasThinking
	default:
		AddUnpriced(&a.Unpriced, name, v)
		return false
	}
	return true
}

// readCacheWrites reads the cache writes by lifetime.
func (a *Anthropic) readCacheWrites(byLifetime []byte) {
	if len(byLifetime) == 0 || byLifetime[0] != '{' {
		return
	}
	var short int64
	for name, v := range jsonscan.Members(byLifetime) {
		switch string(name) {
		case "ephemeral_5m_input_tokens":
			a.setCount(&short, v)
		case "ephemeral_1h_input_tokens":
			a.setCount(&a.cacheWrite1h, v)
		default:
			AddUnpriced(&a.Unpriced, string(name), v)
		}
	}
	a.cacheWriteSum = short + a.cacheWrite1h
}

// setCount stores a plausible token count. It returns false for any other value and does not
// store it.
func (a *Anthropic) setCount(dst *int64, v []byte) bool {
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil || n < 0 || n > maxCount {
		return false
	}
	*dst, a.HasAny = n, true
	return true
}

// AddTool records a call of a tool that Anthropic runs.
func (a *Anthropic) AddTool(name string) { addTool(&a.Unpriced, name) }

// CacheWrites returns all cache writes, and those with a lifetime of one hour.
func (a *Anthropic) CacheWrites() (all, oneHour int64) {
	all = max(a.cacheWrite, a.cacheWriteSum)
	return all, min(a.cacheWrite1h, all)
}

// Buckets returns the counts, or nil if none was reported.
func (a *Anthropic) Buckets() *catalog.Usage {
	if !a.HasAny {
		return nil
	}
	write, oneHour := a.CacheWrites()
	return &catalog.Usage{
		Input: a.Input, CacheRead: a.CacheRead, CacheWrite: write, CacheWrite1h: oneHour,
		Output: a.Output, Reasoning: min(a.Thinking, a.Output),
	}
}
