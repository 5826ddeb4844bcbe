package openai

import (
	"github.com/go-json-experiment/json/jsontext"
)

// bucket is a part of the prompt or the completion.
type bucket int

const (
	cacheRead bucket = iota
	cacheWrite
	cacheWrite1h
	reasoning
	// citation is text of sources, which counts beside the prompt.
	citation
	buckets
)

// bucketNames are what upstreams call them, in usage itself or in its details.
// Where two say the same, the larger one counts: the other is a zero.
var bucketNames = map[string]bucket{
	"cached_tokens":               cacheRead,
	"prompt_cache_hit_tokens":     cacheRead,
	"num_cached_tokens":           cacheRead,
	"cache_read_input_tokens":     cacheRead,
	"cache_write_tokens":          cacheWrite,
	"cache_creation_tokens":       cacheWrite,
	"cache_creation_input_tokens": cacheWrite,
	"created_cache_tokens":        cacheWrite,
	"cache_write_1h_tokens":       cacheWrite1h,
	"reasoning_tokens":            reasoning,
	"citation_tokens":             citation,
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
			u.told, u.hasTotal = u.count(s.value())
		case "prompt_tokens_details", "completion_tokens_details":
			s.usageDetails(u)
		default:
			s.usageMember(u)
		}
	}
	if u.absurd || !u.hasPrompt && !u.hasCompletion && !u.hasTotal {
		*u = usage{extra: u.extra[:0]}
	}
	u.settle()
}

// usageMember reads what single vendors tell beside the common members.
func (s *scanner) usageMember(u *usage) {
	rawName, name := s.rawName, s.name
	b, known := bucketNames[string(name)]
	v := s.value()
	switch {
	case known:
		u.put(b, v)
		u.apart = u.apart || b == reasoning
	case string(name) == "cost":
		u.cost(v)
	case string(name) == "cost_in_usd_ticks":
		u.bill(v, tickDigits)
	}
	u.add(rawName, v)
}

func (u *usage) put(b bucket, v jsontext.Value) {
	n, _ := u.count(v)
	u.parts[b] = max(u.parts[b], n)
}

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
		b, known := bucketNames[string(s.name)]
		if v := s.value(); known {
			u.put(b, v)
		}
	}
	u.extra = appendMember(u.extra, rawName, s.src[start:s.offset()])
}

// innerUsage reads usage where a vendor has it inside of a member of its own.
func (c *chunk) innerUsage(v jsontext.Value) {
	if c.usage.seen || v.Kind() != jsontext.KindBeginObject {
		return
	}
	var s scanner
	s.reset(v, true)
	s.token()
	for s.member() {
		if string(s.name) == "usage" {
			s.readUsage(&c.usage)
			continue
		}
		s.value()
	}
}
