package gemini

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// candidate is one of the answers, as far as it has come.
type candidate struct {
	begun, finished bool
	// calls is how many were given to the client.
	calls int
	// open is the call whose arguments are still coming.
	open *growing
}

// candidate writes what an event has of a candidate.
func (t *translator) candidate(v jsontext.Value) {
	var index int64
	var content, finish, logprobs jsontext.Value
	var s said
	for name, v := range jsonscan.Members(v) {
		switch string(name) {
		case "index":
			index, _ = strconv.ParseInt(string(v), 10, 64)
		case "content":
			content = v
		case "finishReason":
			finish = v
		case "logprobsResult":
			logprobs = v
		case "citationMetadata":
			s.cite(v)
		case "groundingMetadata":
			s.ground(v)
		}
	}
	c := t.state(index)
	c.begun = true
	for name, v := range jsonscan.Members(content) {
		if string(name) == "parts" {
			t.parts(c, v, &s)
		}
	}
	reason := string(jsonscan.Text(finish))
	if ends(reason) {
		t.flush(c, &s)
		c.finished = true
	}
	t.produced = t.produced || len(s.content) > 0 || !s.calls.empty() || !s.images.empty()
	if t.place == inStream && !ends(reason) && s.empty() {
		return
	}
	t.open('{')
	t.key("index").number(index)
	t.message(&s)
	writeLogprobs(&t.out, logprobs)
	if ends(reason) {
		t.key("finish_reason").quote([]byte(finishReason(reason, t.produced)))
	}
	t.end('}')
}

func (t *translator) message(s *said) {
	t.key(t.place).open('{')
	if len(s.content) > 0 {
		t.key("content").raw(s.content)
	}
	if len(s.reasoning) > 0 {
		t.key("reasoning_content").raw(s.reasoning)
	}
	t.list("reasoning_details", &s.details)
	t.list("tool_calls", &s.calls)
	t.list("images", &s.images)
	t.list("annotations", &s.quotes)
	t.end('}')
}

func (o *out) list(name string, elements *out) {
	if elements.empty() {
		return
	}
	o.key(name).open('[')
	o.raw(elements.b)
	o.end(']')
}
