package openai

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// maxTokenCount is above the tokens of any call. If an upstream reports a larger
// or negative count, its whole usage is treated as not reported.
const maxTokenCount = 1 << 40

// usage is the usage that an upstream reports. On the wire the counts overlap:
// cached tokens are part of the prompt. After normalize, prompt is the whole
// input and completion the whole output, however the upstream counts.
type usage struct {
	seen                      bool
	prompt, completion, total int64
	byBucket                  [numBuckets]int64
	// reportedTotal is the upstream's own total.
	reportedTotal int64
	// costNanoUSD is the reported cost.
	costNanoUSD int64
	// extra holds all members except the three totals.
	extra []byte
	// isImplausible is set if a count cannot be true. reasoningIsTopLevel is set
	// if reasoning was reported outside the details. The has fields are set for
	// the values that were reported.
	isImplausible, reasoningIsTopLevel, hasPrompt, hasCompletion, hasTotal, hasCost bool
}

// normalize computes the one of the three numbers that was not reported, and
// converts them to the format's meaning. Some upstreams count cached tokens in
// addition to the prompt, or reasoning in addition to the completion. Their total
// shows it.
func (u *usage) normalize() {
	rest := max(0, u.reportedTotal-u.prompt-u.completion)
	switch {
	case !u.hasTotal || u.hasPrompt == u.hasCompletion:
	case u.hasPrompt:
		u.completion = rest
	default:
		u.prompt = rest
	}
	// Check reasoning first: if both would explain the total, this is the more
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
func (u *usage) totalExceedsBy(n int64) bool {
	return n > 0 && u.hasTotal && u.reportedTotal == u.prompt+u.completion+n
}

// discrepancy returns the upstream's own total minus our total, or 0 if the
// upstream reports none.
func (u *usage) discrepancy() int64 {
	if !u.hasTotal || !u.hasSplit() {
		return 0
	}
	return u.reportedTotal - u.total
}

// hasSplit reports whether input and output can be told apart. A total alone is
// not enough.
func (u *usage) hasSplit() bool { return u.seen && (u.hasPrompt || u.hasCompletion) }

// isInputOnly reports whether only the input is known. The output may still be
// reported later.
func (u *usage) isInputOnly() bool { return u.hasSplit() && !u.hasCompletion && !u.hasTotal }

func (u *usage) isZero() bool { return u.total == 0 }

// toBuckets converts the usage to disjoint buckets. It returns nil without a split.
func (u *usage) toBuckets() *catalog.Usage {
	if !u.hasSplit() {
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

// toResponse returns a Response with only the reported values.
func (u *usage) toResponse() Response {
	return Response{
		Usage: u.toBuckets(), OutputUnknown: u.isInputOnly(),
		UsageDiscrepancy: u.discrepancy(), ReportedNanoUSD: u.reportedCost(),
	}
}

// appendJSON appends a usage object with all three totals, which clients require.
// Counts that the upstream did not report are the given estimates.
func (u *usage) appendJSON(dst []byte, input, output int64) []byte {
	shown := *u
	if !u.hasSplit() {
		shown.prompt = input
	}
	if !u.hasSplit() || u.isInputOnly() {
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

// appendInputJSON appends the usage of a call without output.
func (u *usage) appendInputJSON(dst []byte, input int64) []byte {
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
