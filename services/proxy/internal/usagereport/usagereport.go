// Package usagereport reads the usage and the cost that upstreams report. Vendors use
// different names, and count cached tokens and reasoning differently.
//
// A Report holds what one response reported. ReadFrom reads it and makes the counts
// comparable: the prompt is the whole input, and the completion is the whole output.
// Buckets returns counts that do not overlap, for accounting. AppendJSON writes the usage
// for clients.
//
// Anthropic and Google hold the counts that these vendors report in their own formats. The
// adapters and the client protocols of a vendor share them, so that a token is counted in the
// same way whether a response is translated or forwarded.
//
// Packages normalize, provider and inbound use it.
package usagereport

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/namelist"
)

// maxTokenCount is above the token count of any call. If an upstream reports a
// larger or negative count, its whole usage is treated as not reported.
const maxTokenCount = 1 << 40

// Report is the usage that an upstream reports. The counts on the wire overlap: for
// example, cached tokens are part of the prompt. After normalize, prompt is the
// whole input and completion is the whole output, however the upstream counts.
type Report struct {
	seen                      bool
	prompt, completion, total int64
	byBucket                  [numBuckets]int64
	// reportedTotal is the total that the upstream reported.
	reportedTotal int64
	// costNanoUSD is the reported cost.
	costNanoUSD int64
	// extra holds all members except prompt_tokens, completion_tokens and total_tokens.
	extra []byte
	// spare is a buffer for the extra of the next usage object.
	spare []byte
	// unpriced names what the upstream charges in addition to the counts that have a price.
	unpriced namelist.List
	// isImplausible is set if a count cannot be true. reasoningIsTopLevel is set if
	// reasoning was reported outside the details. hasPrompt, hasCompletion, hasTotal
	// and hasCost are set if the upstream reported the value.
	isImplausible, reasoningIsTopLevel, hasPrompt, hasCompletion, hasTotal, hasCost bool
}

// normalize computes the prompt or the completion if the upstream reported only the
// other one and the total. It also corrects upstreams that do not count cached tokens
// as part of the prompt, or reasoning as part of the completion. The reported total
// shows which of them were counted separately.
func (u *Report) normalize() {
	rest := max(0, u.reportedTotal-u.prompt-u.completion)
	switch {
	case !u.hasTotal || u.hasPrompt == u.hasCompletion:
	case u.hasPrompt:
		u.completion = rest
	default:
		u.prompt = rest
	}
	// Check reasoning first. If both could explain the total, reasoning is the more
	// common case.
	if separate := u.byBucket[reasoning]; u.totalExceedsBy(separate) || u.reasoningIsTopLevel && separate > u.completion {
		u.completion += separate
	}
	if cached := u.byBucket[cacheRead] + u.byBucket[cacheWrite]; u.totalExceedsBy(cached) {
		u.prompt += cached
	}
	u.prompt += u.byBucket[citation]
	u.total = u.prompt + u.completion
	if !u.hasPrompt && !u.hasCompletion {
		u.total = u.reportedTotal
	}
}

// totalExceedsBy reports whether the total is n more than prompt and completion.
func (u *Report) totalExceedsBy(n int64) bool {
	return n > 0 && u.hasTotal && u.reportedTotal == u.prompt+u.completion+n
}

// Discrepancy returns the reported total minus our total. It returns 0 if the
// upstream reported no total, or only a total.
func (u *Report) Discrepancy() int64 {
	if !u.hasTotal || !u.HasInputOrOutput() {
		return 0
	}
	return u.reportedTotal - u.total
}

// HasInputOrOutput reports whether the input or the output is known. A total alone is not
// enough.
func (u *Report) HasInputOrOutput() bool { return u.seen && (u.hasPrompt || u.hasCompletion) }

// IsInputOnly reports whether only the input is known. The upstream may report the
// output later.
func (u *Report) IsInputOnly() bool { return u.HasInputOrOutput() && !u.hasCompletion && !u.hasTotal }

// IsZero reports whether input and output are zero.
func (u *Report) IsZero() bool { return u.total == 0 }

// Buckets converts the usage to counts that do not overlap. It returns nil if the
// upstream reported neither the input nor the output.
func (u *Report) Buckets() *catalog.Usage {
	if !u.HasInputOrOutput() {
		return nil
	}
	read := min(u.byBucket[cacheRead], u.prompt)
	write := min(u.byBucket[cacheWrite], u.prompt-read)
	return &catalog.Usage{
		Input:        u.prompt - read - write,
		CacheRead:    read,
		CacheWrite:   write,
		CacheWrite1h: min(u.byBucket[cacheWrite1h], write),
		Output:       u.completion,
		Reasoning:    min(u.byBucket[reasoning], u.completion),
	}
}

// Unpriced names what the upstream charges and the catalog has no prices for, such as
// web_search.
func (u *Report) Unpriced() []string { return u.unpriced }

// SetServiceTier records the tier of the response, which upstreams report beside the usage. It
// does nothing if no usage was reported.
func (u *Report) SetServiceTier(tier []byte) {
	if u.seen {
		AddUnpriced(&u.unpriced, "service_tier", tier)
	}
}

// AppendJSON appends a usage object with all three totals, which clients require. The
// parameters input and output are estimates. They replace counts that the upstream did
// not report.
func (u *Report) AppendJSON(dst []byte, input, output int64) []byte {
	shown := *u
	if !u.HasInputOrOutput() {
		shown.prompt = input
	}
	if !u.HasInputOrOutput() || u.IsInputOnly() {
		shown.completion = output
		shown.total = shown.prompt + shown.completion
	}
	dst = append(dst, `{"prompt_tokens":`...)
	dst = strconv.AppendInt(dst, shown.prompt, 10)
	dst = append(dst, `,"completion_tokens":`...)
	dst = strconv.AppendInt(dst, shown.completion, 10)
	dst = append(dst, `,"total_tokens":`...)
	dst = strconv.AppendInt(dst, shown.total, 10)
	dst = append(dst, shown.extra...)
	return append(dst, '}')
}

// AppendInputJSON appends the usage of a call without output. input is the estimate
// for an upstream that reports no usage.
func (u *Report) AppendInputJSON(dst []byte, input int64) []byte {
	if u.seen {
		input = u.prompt
	}
	dst = append(dst, `{"prompt_tokens":`...)
	dst = strconv.AppendInt(dst, input, 10)
	dst = append(dst, `,"total_tokens":`...)
	dst = strconv.AppendInt(dst, input, 10)
	dst = append(dst, u.extra...)
	return append(dst, '}')
}

// Reset removes all values and keeps the buffer.
func (u *Report) Reset() { *u = Report{extra: u.extra[:0], spare: u.spare} }

// IsReported reports whether the upstream reported usage, even if only a total.
func (u *Report) IsReported() bool { return u.seen }

// TotalTokens returns the tokens of input and output together.
func (u *Report) TotalTokens() int64 { return u.total }

// CountAllAsInput treats the total as input. Embeddings have no output, and some upstreams
// report only the total.
func (u *Report) CountAllAsInput() {
	u.prompt, u.completion, u.hasPrompt = u.total, 0, u.hasPrompt || u.hasTotal
}
