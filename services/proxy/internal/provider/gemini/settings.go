package gemini

import (
	"hash/fnv"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// maxStops is how many stop sequences Google takes.
const maxStops = 5

// settings is the generationConfig in the making.
type settings struct {
	out
	names []string
	// limit is the most the model writes; 0 when that is not known.
	limit int64
	// capped is the field by which the client limits the answer.
	capped string
	// top is top_logprobs, which may come before logprobs or without it.
	top      jsontext.Value
	logprobs bool
}

// same are the members that differ in name alone.
var same = map[string]string{
	"temperature":       "temperature",
	"top_p":             "topP",
	"top_k":             "topK",
	"presence_penalty":  "presencePenalty",
	"frequency_penalty": "frequencyPenalty",
}

// take takes a member of the client's that belongs here; it reports false for
// any other.
func (s *settings) take(d *draft, name string, v jsontext.Value) bool {
	if own, ok := same[name]; ok {
		s.set(own).raw(v)
		return true
	}
	switch name {
	case "n":
	case "max_tokens", "max_completion_tokens":
		s.capped = name
	case "stop":
		s.stop(d, v)
	case "seed":
		s.set("seed").number(seed(v))
	case "logprobs":
		s.logprobs = isTrue(v)
	case "top_logprobs":
		s.top = v
	case "reasoning_effort":
		s.effort(d, v)
	default:
		return false
	}
	return true
}

// set begins a member.
func (s *settings) set(name string) *out {
	s.names = append(s.names, name)
	return s.key(name)
}

// requested adds what has been read of the request before.
func (s *settings) requested(d *draft) {
	r := d.call.Request
	if most := r.MaxOutputTokens; most > 0 {
		if s.limit > 0 && most > s.limit {
			d.drop(s.capped)
			most = s.limit
		}
		s.set("maxOutputTokens").number(most)
	}
	if r.Choices > 1 {
		s.set("candidateCount").number(int64(r.Choices))
	}
	if s.logprobs {
		s.set("responseLogprobs").literal("true")
	}
	if s.logprobs && len(s.top) > 0 {
		s.set("logprobs").raw(s.top)
	}
}

func (s *settings) stop(d *draft, v jsontext.Value) {
	if isText(v) {
		v = slices.Concat([]byte{'['}, v, []byte{']'})
	}
	var list out
	n := 0
	for one := range jsonscan.Elements(v) {
		if !isBlank(one) {
			list.raw(one)
			n++
		}
	}
	if n > maxStops {
		d.refuse("stop", "it takes at most "+strconv.Itoa(maxStops)+" sequences")
	}
	if n == 0 {
		return
	}
	s.set("stopSequences").open('[')
	s.raw(list.b)
	s.end(']')
}

// seed is the number itself where Google's type holds it, and else one that is
// the same for the same.
func seed(v jsontext.Value) int64 {
	if f, err := strconv.ParseFloat(string(v), 64); err == nil && f == math.Trunc(f) && math.Abs(f) <= math.MaxInt32 {
		return int64(f)
	}
	h := fnv.New32a()
	_, _ = h.Write(v)
	return int64(h.Sum32() & math.MaxInt32)
}

// write writes the member, with what the client said of it in Google's own
// words where our format does not say it.
func (s *settings) write(o *out, native jsontext.Value) {
	for name, v := range jsonscan.Members(native) {
		if !slices.Contains(s.names, string(name)) {
			s.next()
			s.b, _ = jsontext.AppendQuote(s.b, name)
			s.b = append(append(s.b, ':'), v...)
		}
	}
	if s.empty() {
		return
	}
	o.key("generationConfig").open('{')
	o.raw(s.b)
	o.end('}')
}
