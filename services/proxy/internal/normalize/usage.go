package normalize

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// maxTokenCount is above the token count of any call. If an upstream reports a
// larger or negative count, its whole usage is treated as not reported.
const maxTokenCount = 1 << 40

// usage is the usage that an upstream reports. The counts on the wire overlap: for
// example, cached tokens are part of the prompt. After normalize, prompt is the
// whole input and completion is the whole output, however the upstream counts.
type usage struct {
	seen                      bool
	prompt, completion, total int64
	byBucket                  [numBuckets]int64
	// reportedTotal is the total that the upstream reported.
	reportedTotal int64
	// costNanoUSD is the reported cost.
	costNanoUSD int64
	// extra holds all members except the three totals.
	extra []byte
	// isImplausible is set if a count cannot be true. reasoningIsTopLevel is set if
	// reasoning was reported outside the details. hasPrompt, hasCompletion, hasTotal
	// and hasCost are set if the upstream reported the value.
	isImplausible, reasoningIsTopLevel, hasPrompt, hasCompletion, hasTotal, hasCost bool
}

// normalize computes the prompt or the completion if the upstream reported only the
// other one and the total. It also corrects upstreams that do not count cached tokens
// as part of the prompt, or reasoning as part of the completion. The reported total
// shows which of them were counted separately.
func (u *usage) normalize() {
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
func (u *usage) totalExceedsBy(n int64) bool {
	return n > 0 && u.hasTotal && u.reportedTotal == u.prompt+u.completion+n
}

// discrepancy returns the reported total minus our total. It returns 0 if the
// upstream reported no total, or only a total.
func (u *usage) discrepancy() int64 {
	if !u.hasTotal || !u.hasInputOrOutput() {
		return 0
	}
	return u.reportedTotal - u.total
}

// hasInputOrOutput reports whether the input or the output is known. A total alone is not
// enough.
func (u *usage) hasInputOrOutput() bool { return u.seen && (u.hasPrompt || u.hasCompletion) }

// isInputOnly reports whether only the input is known. The upstream may report the
// output later.
func (u *usage) isInputOnly() bool { return u.hasInputOrOutput() && !u.hasCompletion && !u.hasTotal }

func (u *usage) isZero() bool { return u.total == 0 }

// toBuckets converts the usage to counts that do not overlap. It returns nil if the
// upstream reported neither the input nor the output.
func (u *usage) toBuckets() *catalog.Usage {
	if !u.hasInputOrOutput() {
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

// appendJSON appends a usage object with all three totals, which clients require. The
// parameters input and output are estimates. They replace counts that the upstream did
// not report.
func (u *usage) appendJSON(dst []byte, input, output int64) []byte {
	shown := *u
	if !u.hasInputOrOutput() {
		shown.prompt = input
	}
	if !u.hasInputOrOutput() || u.isInputOnly() {
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

// appendInputJSON appends the usage of a call without output. input is the estimate
// for an upstream that reports no usage.
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
