package gemini

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/outbound"
)

// finishReasons maps the finish reasons of chat to Google's. All other reasons become STOP.
var finishReasons = map[string]string{"length": "MAX_TOKENS", "content_filter": "SAFETY"}

func toFinishReason(v jsontext.Value) string {
	if reason, ok := finishReasons[jsonscan.DecodeText(v)]; ok {
		return reason
	}
	return "STOP"
}

// writeTextPart writes a part with text, which is a JSON string.
func writeTextPart(w *jsonWriter, text jsontext.Value, isThought bool) {
	w.open('{')
	w.key("text").raw(text)
	if isThought {
		w.key("thought").literal("true")
	}
	w.close("}")
}

// functionCall is a complete tool call of a chat response.
type functionCall struct {
	id, name  string
	arguments []byte
	// signature is Google's thought signature, or the state of the gateway. It may be empty.
	signature []byte
}

// parseCall reads a complete tool call.
func parseCall(v jsontext.Value) functionCall {
	return functionCall{
		id: jsonscan.DecodeText(jsonscan.Member(v, "id")), name: jsonscan.DecodeText(jsonscan.Member(v, "function", "name")),
		arguments: jsonscan.DecodeString(jsonscan.Member(v, "function", "arguments")),
		signature: jsonscan.DecodeString(jsonscan.Member(v, "extra_content", "google", "thought_signature")),
	}
}

func (r *responder) writeCallPart(w *jsonWriter, c *functionCall) {
	w.open('{')
	w.key("functionCall").open('{')
	if id := outbound.StripSignature([]byte(c.id)); len(id) > 0 {
		w.key("id").quote(id)
	}
	w.key("name").text(r.names.toClient(c.name))
	w.key("args").raw(argumentsObject(c.arguments))
	w.close("}")
	if len(c.signature) > 0 {
		w.key("thoughtSignature").quote(c.signature)
	}
	w.close("}")
}

// argumentsObject returns the arguments of a call as an object in one line. Text that is not
// a valid object becomes the member "arguments" of a new object.
func argumentsObject(text []byte) []byte {
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 {
		return []byte("{}")
	}
	if compact := compactJSON(trimmed); isObject(compact) && jsonscan.Valid(compact) {
		return compact
	}
	var w jsonWriter
	w.open('{')
	w.key("arguments").quote(text)
	w.close("}")
	return w.buf
}

// writeImageParts writes the images of a message that are data URLs.
func writeImageParts(w *jsonWriter, images jsontext.Value) {
	for image := range jsonscan.Elements(images) {
		head, data, ok := bytes.Cut(jsonscan.DecodeString(jsonscan.Member(image, "image_url", "url")), []byte(";base64,"))
		mediaType, isData := bytes.CutPrefix(head, []byte("data:"))
		if !ok || !isData {
			continue
		}
		w.open('{')
		w.key("inlineData").open('{')
		w.key("mimeType").quote(mediaType)
		w.key("data").quote(data)
		w.close("}}")
	}
}

// addCitations adds the citations of web pages.
func addCitations(w *jsonWriter, annotations jsontext.Value) {
	for entry := range jsonscan.Elements(annotations) {
		citation := jsonscan.Member(entry, "url_citation")
		url := jsonscan.Member(citation, "url")
		if lacksText(url) {
			continue
		}
		w.open('{')
		for _, index := range [][2]string{{"start_index", "startIndex"}, {"end_index", "endIndex"}} {
			if n, ok := jsonscan.ParseInteger(jsonscan.Member(citation, index[0])); ok {
				w.key(index[1]).number(n)
			}
		}
		w.key("uri").raw(url)
		if title := jsonscan.Member(citation, "title"); jsonscan.IsString(title) {
			w.key("title").raw(title)
		}
		w.close("}")
	}
}

// writeCitations writes citationMetadata, unless there are no citations.
func writeCitations(w, citations *jsonWriter) {
	if citations.isEmpty() {
		return
	}
	w.key("citationMetadata").open('{')
	w.array("citationSources", citations)
	w.close("}")
}

// writeLogprobs writes logprobsResult for the logprobs of a choice.
func writeLogprobs(w *jsonWriter, logprobs jsontext.Value) {
	var chosen, top jsonWriter
	for token := range jsonscan.Elements(jsonscan.Member(logprobs, "content")) {
		writeLogprob(&chosen, token)
		top.open('{')
		top.key("candidates").open('[')
		for other := range jsonscan.Elements(jsonscan.Member(token, "top_logprobs")) {
			writeLogprob(&top, other)
		}
		top.close("]}")
	}
	if chosen.isEmpty() {
		return
	}
	w.key("logprobsResult").open('{')
	w.array("topCandidates", &top)
	w.array("chosenCandidates", &chosen)
	w.close("}")
}

func writeLogprob(w *jsonWriter, v jsontext.Value) {
	token, logprob := jsonscan.Member(v, "token"), jsonscan.Member(v, "logprob")
	w.open('{')
	if jsonscan.IsString(token) {
		w.key("token").raw(token)
	}
	if !jsonscan.IsNull(logprob) {
		w.key("logProbability").raw(logprob)
	}
	w.close("}")
}
