package gemini

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// addCitations adds annotations for cited sources that have a URL.
func (s *messageDelta) addCitations(v jsontext.Value) {
	for name, v := range jsonscan.Members(v) {
		if string(name) != "citationSources" && string(name) != "citations" {
			continue
		}
		for source := range jsonscan.Elements(v) {
			s.addAnnotation(source)
		}
	}
}

// addGroundingSources adds annotations for the web pages on which the response is based.
func (s *messageDelta) addGroundingSources(v jsontext.Value) {
	for name, v := range jsonscan.Members(v) {
		if string(name) != "groundingChunks" {
			continue
		}
		for chunk := range jsonscan.Elements(v) {
			for name, v := range jsonscan.Members(chunk) {
				if string(name) == "web" {
					s.addAnnotation(v)
				}
			}
		}
	}
}

func (s *messageDelta) addAnnotation(source jsontext.Value) {
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
	if lacksText(uri) {
		return
	}
	o := &s.annotations
	o.open('{')
	o.key("type").literal(`"url_citation"`)
	o.key("url_citation").open('{')
	o.key("url").raw(uri)
	if isString(title) {
		o.key("title").raw(title)
	}
	o.key("start_index").raw(from)
	o.key("end_index").raw(to)
	o.buf = append(o.buf, "}}"...)
}

// writeLogprobs writes the log probability of each token, and the log probabilities of the
// most likely alternatives.
func writeLogprobs(o *jsonWriter, v jsontext.Value) {
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
			writeTopLogprobs(o, others[i])
		}
		o.buf = append(o.buf, "]}"...)
	}
	o.close(']')
	o.key("refusal").literal("null")
	o.close('}')
}

func writeTopLogprobs(o *jsonWriter, v jsontext.Value) {
	for name, v := range jsonscan.Members(v) {
		if string(name) != "candidates" {
			continue
		}
		for other := range jsonscan.Elements(v) {
			o.open('{')
			writeLogprob(o, other)
			o.close('}')
		}
	}
}

func writeLogprob(o *jsonWriter, v jsontext.Value) {
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
