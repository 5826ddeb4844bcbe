package gemini

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// addCitations adds annotations for cited sources that have a URL.
func (s *messageDelta) addCitations(v jsontext.Value) {
	for _, name := range []string{"citationSources", "citations"} {
		for source := range jsonscan.Elements(jsonscan.Member(v, name)) {
			s.addAnnotation(source)
		}
	}
}

// addGroundingSources adds annotations for the web pages on which the response is based.
func (s *messageDelta) addGroundingSources(v jsontext.Value) {
	for chunk := range jsonscan.Elements(jsonscan.Member(v, "groundingChunks")) {
		s.addAnnotation(jsonscan.Member(chunk, "web"))
	}
}

func (s *messageDelta) addAnnotation(source jsontext.Value) {
	var uri, title jsontext.Value
	from, to := jsontext.Value("0"), jsontext.Value("0")
	readFields(source, field{"uri", &uri}, field{"title", &title}, field{"startIndex", &from}, field{"endIndex", &to})
	if lacksText(uri) {
		return
	}
	o := &s.annotations
	o.open('{')
	o.key("type").literal(`"url_citation"`)
	o.key("url_citation").open('{')
	o.key("url").raw(uri)
	if jsonscan.IsString(title) {
		o.key("title").raw(title)
	}
	o.key("start_index").raw(from)
	o.key("end_index").raw(to)
	o.buf = append(o.buf, "}}"...)
}

// writeLogprobs writes the log probability of each token, and the log probabilities of the
// most likely alternatives.
func writeLogprobs(o *jsonWriter, v jsontext.Value) {
	chosen := slices.Collect(jsonscan.Elements(jsonscan.Member(v, "chosenCandidates")))
	others := slices.Collect(jsonscan.Elements(jsonscan.Member(v, "topCandidates")))
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
	for other := range jsonscan.Elements(jsonscan.Member(v, "candidates")) {
		o.open('{')
		writeLogprob(o, other)
		o.close('}')
	}
}

func writeLogprob(o *jsonWriter, v jsontext.Value) {
	token, logprob := jsontext.Value(`""`), jsontext.Value("0")
	readFields(v, field{"token", &token}, field{"logProbability", &logprob})
	o.key("token").raw(token)
	o.key("logprob").raw(logprob)
	o.key("bytes").literal("null")
}
