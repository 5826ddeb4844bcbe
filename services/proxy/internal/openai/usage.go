package openai

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// maxCount is more tokens than any call uses. An upstream that reports more, or
// fewer than none, is not believed in anything: its usage counts as not
// reported.
const maxCount = 1 << 40

// usage is what an upstream says a call used. The members are not disjoint on
// the wire: the cached are among the prompt's.
type usage struct {
	seen                             bool
	prompt, completion, total        int64
	cacheRead, cacheWrite, reasoning int64
	// extra has all members but the three totals.
	extra []byte
	// absurd is set if a count cannot be true, and the others if it was told.
	absurd, hasPrompt, hasCompletion, hasTotal bool
}

// readUsage reads a usage object. Upstreams also send null and {}, on every
// chunk: that says nothing.
func (s *scanner) readUsage(u *usage) {
	if !s.open(jsontext.KindBeginObject) {
		s.value()
		return
	}
	*u = usage{seen: true, extra: u.extra[:0]}
	for s.member() {
		switch string(s.name) {
		case "prompt_tokens":
			u.prompt, u.hasPrompt = u.count(s.value())
		case "completion_tokens":
			u.completion, u.hasCompletion = u.count(s.value())
		case "total_tokens":
			u.total, u.hasTotal = u.count(s.value())
		case "prompt_tokens_details", "completion_tokens_details":
			s.usageDetails(u)
		default:
			u.add(s.rawName, s.value())
		}
	}
	if u.absurd || !u.hasPrompt && !u.hasCompletion && !u.hasTotal {
		*u = usage{extra: u.extra[:0]}
	}
	u.deduce()
}

// deduce finds the one of the three that was not told.
func (u *usage) deduce() {
	rest := max(0, u.total-u.prompt-u.completion)
	switch {
	case !u.hasTotal || u.hasPrompt == u.hasCompletion:
	case u.hasPrompt:
		u.completion = rest
	default:
		u.prompt = rest
	}
	u.total = max(u.total, u.prompt+u.completion)
}

// split tells whether it is known how much was input and how much output. A
// total alone says neither.
func (u *usage) split() bool { return u.seen && (u.hasPrompt || u.hasCompletion) }

func (u *usage) zero() bool { return u.total == 0 }

func (u *usage) add(rawName, v []byte) {
	if !isNull(v) {
		u.extra = appendMember(u.extra, rawName, v)
	}
}

// count reads a number of tokens, which upstreams also write as null, 12.0 or
// "12", and whether there was one.
func (u *usage) count(v jsontext.Value) (n int64, ok bool) {
	if isText(v) {
		v = v[1 : len(v)-1]
	}
	n, ok = integer(v)
	if v.Kind() == jsontext.KindNumber && (!ok || n < 0 || n > maxCount) {
		u.absurd = true
	}
	return n, ok
}

func (s *scanner) usageDetails(u *usage) {
	rawName := s.rawName
	if !s.open(jsontext.KindBeginObject) {
		u.add(rawName, s.value())
		return
	}
	start := s.offset() - 1
	for s.member() {
		switch string(s.name) {
		case "cached_tokens":
			u.cacheRead, _ = u.count(s.value())
		case "cache_write_tokens":
			u.cacheWrite, _ = u.count(s.value())
		case "reasoning_tokens":
			u.reasoning, _ = u.count(s.value())
		default:
			s.value()
		}
	}
	u.extra = appendMember(u.extra, rawName, s.src[start:s.offset()])
}

// buckets makes them disjoint. Some upstreams count reasoning beside the
// completion instead of in it, which the total betrays.
func (u *usage) buckets() *catalog.Usage {
	if !u.split() {
		return nil
	}
	output := u.completion
	if u.reasoning > 0 && u.total == u.prompt+u.completion+u.reasoning {
		output += u.reasoning
	}
	read := min(u.cacheRead, u.prompt)
	write := min(u.cacheWrite, u.prompt-read)
	return &catalog.Usage{
		Input:      u.prompt - read - write,
		CacheRead:  read,
		CacheWrite: write,
		Output:     output,
		Reasoning:  min(u.reasoning, output),
	}
}

// append writes the object with all three totals, which clients demand. What
// the upstream did not report is estimated.
func (u *usage) append(dst []byte, input int64, output int) []byte {
	shown := *u
	if !u.split() {
		shown.prompt, shown.completion = input, EstimateTokens(output)
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
