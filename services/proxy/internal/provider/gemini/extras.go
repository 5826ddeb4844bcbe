package gemini

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// cite takes the sources that an answer quotes, where they have an address.
func (s *said) cite(v jsontext.Value) {
	for name, v := range jsonscan.Members(v) {
		if string(name) != "citationSources" && string(name) != "citations" {
			continue
		}
		for source := range jsonscan.Elements(v) {
			s.annotate(source)
		}
	}
}

// ground takes the pages that an answer rests on.
func (s *said) ground(v jsontext.Value) {
	for name, v := range jsonscan.Members(v) {
		if string(name) != "groundingChunks" {
			continue
		}
		for chunk := range jsonscan.Elements(v) {
			for name, v := range jsonscan.Members(chunk) {
				if string(name) == "web" {
					s.annotate(v)
				}
			}
		}
	}
}

func (s *said) annotate(source jsontext.Value) {
	var uri, title jsontext.Value
	from, to := jsontext.Value("0"), jsontext.Value("0")
	for name, v := range jsonscan.Members(source) {
		switch string(name) {
		case "uri":
			uri = v
		case "title":
			title = v
		case "startIndex":
			from = v
		case "endIndex":
			to = v
		}
	}
	if isBlank(uri) {
		return
	}
	o := &s.quotes
	o.open('{')
	o.key("type").literal(`"url_citation"`)
	o.key("url_citation").open('{')
	o.key("url").raw(uri)
	if isText(title) {
		o.key("title").raw(title)
	}
	o.key("start_index").raw(from)
	o.key("end_index").raw(to)
	o.b = append(o.b, "}}"...)
}

// writeLogprobs writes the probabilities of an answer's words, each with those
// of the words that it might have been.
func writeLogprobs(o *out, v jsontext.Value) {
	var chosen, others []jsontext.Value
	for name, v := range jsonscan.Members(v) {
		switch string(name) {
		case "chosenCandidates":
			chosen = slices.Collect(jsonscan.Elements(v))
		case "topCandidates":
			others = slices.Collect(jsonscan.Elements(v))
		}
	}
	if len(chosen) == 0 {
		return
	}
	o.key("logprobs").open('{')
	o.key("content").open('[')
	for i, v := range chosen {
		o.open('{')
		writeLogprob(o, v)
		o.key("top_logprobs").open('[')
		if i < len(others) {
			writeOthers(o, others[i])
		}
		o.b = append(o.b, "]}"...)
	}
	o.end(']')
	o.key("refusal").literal("null")
	o.end('}')
}

func writeOthers(o *out, v jsontext.Value) {
	for name, v := range jsonscan.Members(v) {
		if string(name) != "candidates" {
			continue
		}
		for other := range jsonscan.Elements(v) {
			o.open('{')
			writeLogprob(o, other)
			o.end('}')
		}
	}
}

func writeLogprob(o *out, v jsontext.Value) {
	token, logprob := jsontext.Value(`""`), jsontext.Value("0")
	for name, v := range jsonscan.Members(v) {
		switch string(name) {
		case "token":
			token = v
		case "logProbability":
			logprob = v
		}
	}
	o.key("token").raw(token)
	o.key("logprob").raw(logprob)
	o.key("bytes").literal("null")
}
