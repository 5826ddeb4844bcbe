package openai

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// maxCount is more tokens than any call uses. An upstream that reports more, or
// fewer than none, is not believed in anything: its usage counts as not
// reported.
const maxCount = 1 << 40

// usage is what an upstream says a call used. The members are not disjoint on
// the wire: the cached are among the prompt's. When it has been read, prompt is
// all that went in and completion all that came out, whatever the upstream
// counts where.
type usage struct {
	seen                      bool
	prompt, completion, total int64
	parts                     [buckets]int64
	// told is the upstream's own total.
	told int64
	// nano is the money it asks, in nano-USD.
	nano int64
	// extra has all members but the three totals.
	extra []byte
	// absurd is set if a count cannot be true, apart if reasoning is told
	// beside the completion, and the others if it was told.
	absurd, apart, hasPrompt, hasCompletion, hasTotal, hasNano bool
}

// settle finds the one of the three numbers that was not told, and makes them
// those of the format. Some upstreams count what was cached beside the prompt,
// or reasoning beside the completion, which their total betrays.
func (u *usage) settle() {
	rest := max(0, u.told-u.prompt-u.completion)
	switch {
	case !u.hasTotal || u.hasPrompt == u.hasCompletion:
	case u.hasPrompt:
		u.completion = rest
	default:
		u.prompt = rest
	}
	// Reasoning comes first: more of them count it so, where either would
	// explain the total.
	if thought := u.parts[reasoning]; u.beside(thought) || u.apart && thought > u.completion {
		u.completion += thought
	}
	if cached := u.parts[cacheRead] + u.parts[cacheWrite]; u.beside(cached) {
		u.prompt += cached
	}
	u.prompt += u.parts[citation]
	u.total = u.prompt + u.completion
	if !u.hasPrompt && !u.hasCompletion {
		u.total = u.told
	}
}

// beside tells whether the total has n more than the prompt and the completion.
func (u *usage) beside(n int64) bool {
	return n > 0 && u.hasTotal && u.told == u.prompt+u.completion+n
}

// difference is by how much the upstream's own total is more than what we
// count; 0 where it tells none.
func (u *usage) difference() int64 {
	if !u.hasTotal || !u.split() {
		return 0
	}
	return u.told - u.total
}

// split tells whether it is known how much was input and how much output. A
// total alone says neither.
func (u *usage) split() bool { return u.seen && (u.hasPrompt || u.hasCompletion) }

// half tells whether only the input is known: what came out is still to come,
// or never told.
func (u *usage) half() bool { return u.split() && !u.hasCompletion && !u.hasTotal }

func (u *usage) zero() bool { return u.total == 0 }

// buckets makes them disjoint.
func (u *usage) buckets() *catalog.Usage {
	if !u.split() {
		return nil
	}
	read := min(u.parts[cacheRead], u.prompt)
	write := min(u.parts[cacheWrite], u.prompt-read)
	return &catalog.Usage{
		Input:        u.prompt - read - write,
		CacheRead:    read,
		CacheWrite:   write,
		CacheWrite1h: min(u.parts[cacheWrite1h], write),
		Output:       u.completion,
		Reasoning:    min(u.parts[reasoning], u.completion),
	}
}

// answer is an answer of which only this is known.
func (u *usage) answer() Answer {
	return Answer{
		Usage: u.buckets(), OutputUnknown: u.half(),
		UsageDifference: u.difference(), ReportedNanoUSD: u.money(),
	}
}

// append writes the object with all three totals, which clients demand. What
// the upstream did not report is estimated.
func (u *usage) append(dst []byte, input, output int64) []byte {
	shown := *u
	if !u.split() {
		shown.prompt = input
	}
	if !u.split() || u.half() {
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

// appendInput writes the usage of a call that has no output.
func (u *usage) appendInput(dst []byte, input int64) []byte {
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
