package gemini

import (
	"cmp"
	"hash/fnv"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// maxCandidates is the most answers that our clients' format has.
const maxCandidates = 128

// What our format calls a message.
const (
	inAnswer = "message"
	inStream = "delta"
)

// translator turns Google's answers into our clients' form: one whole answer,
// or the events of one stream, each of which becomes one chunk. It is for one
// goroutine.
type translator struct {
	out
	// place is what our format calls the message.
	place string
	// id is Google's name of the answer, and base what ids of calls are made
	// of: that, or what is the same for the same answer.
	id, base   string
	candidates []candidate
	// calls is how many there were so far, in all candidates.
	calls int
	// produced is set once anything but thoughts has come.
	produced bool
}

// chatAnswer is a whole answer, and Google's id of it. What it does not
// understand it leaves to whoever reads the result.
func chatAnswer(body []byte) (answer []byte, id string) {
	t := translator{place: inAnswer}
	answer = t.translate(body)
	return answer, t.id
}

// response is what an answer or an event has.
type response struct {
	candidates, feedback, usage, err jsontext.Value
}

// translate returns the chunk for an event, valid until the next call, and an
// event that says error, or that is none, as it came.
func (t *translator) translate(payload []byte) []byte {
	r, ok := t.read(payload)
	if !ok {
		return payload
	}
	t.b = t.b[:0]
	t.open('{')
	t.key("choices").open('[')
	for v := range jsonscan.Elements(r.candidates) {
		t.candidate(v)
	}
	if len(t.candidates) == 0 && blocked(r.feedback) {
		t.block()
	}
	t.end(']')
	t.usage(r.usage)
	t.end('}')
	return t.b
}

// read reports false for what is not to be translated.
func (t *translator) read(payload []byte) (response, bool) {
	var r response
	if !jsonscan.Valid(payload) {
		return r, false
	}
	for name, v := range jsonscan.Members(payload) {
		switch string(name) {
		case "candidates":
			r.candidates = v
		case "promptFeedback":
			r.feedback = v
		case "usageMetadata":
			r.usage = v
		case "responseId":
			t.id = string(jsonscan.Text(v))
		case "error":
			r.err = v
		}
	}
	if t.base = cmp.Or(t.base, t.id); t.base == "" {
		h := fnv.New64a()
		_, _ = h.Write(payload)
		t.base = strconv.FormatUint(h.Sum64(), 36)
	}
	return r, isNull(r.err) && (r.candidates != nil || r.feedback != nil || r.usage != nil)
}

func blocked(feedback jsontext.Value) bool {
	for name, v := range jsonscan.Members(feedback) {
		if string(name) == "blockReason" && !isBlank(v) {
			return true
		}
	}
	return false
}

// block is the answer to a question that Google's filter took.
func (t *translator) block() {
	t.state(0).finished = true
	t.open('{')
	t.key("index").number(0)
	t.key(t.place).literal(`{"content":""}`)
	t.key("finish_reason").literal(`"content_filter"`)
	t.end('}')
}

// state is what is known of a candidate.
func (t *translator) state(index int64) *candidate {
	if index < 0 || index >= maxCandidates {
		return &candidate{} // which nobody will be given
	}
	for int64(len(t.candidates)) <= index {
		t.candidates = append(t.candidates, candidate{})
	}
	return &t.candidates[index]
}

// complete tells whether all that began has ended.
func (t *translator) complete() bool {
	n := 0
	for i := range t.candidates {
		if c := &t.candidates[i]; c.finished {
			n++
		} else if c.begun {
			return false
		}
	}
	return n > 0
}
