package gemini

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// embedInput is one request of an embeddings body.
type embedInput struct {
	content, taskType, title, dimensions jsontext.Value
	// path identifies the request in errors. It is empty for a single request.
	path string
}

// embedResponder translates the response to one embeddings request. Embeddings have no stream.
type embedResponder struct {
	responder
	batch bool
}

func translateEmbeddings(r *requestbody.Request) (*inbound.Translation, error) {
	body, dropped, err := EmbedToOpenAI(r)
	if err != nil {
		return nil, err
	}
	return &inbound.Translation{Body: body, Dropped: dropped, Responder: &embedResponder{batch: r.IsBatch}}, nil
}

// FromChat translates a normalized embeddings response.
func (r *embedResponder) FromChat(body []byte, _ inbound.Options) ([]byte, error) {
	return EmbedFromOpenAI(body, r.batch)
}

// batchMember is the member of batchEmbedContents that has the requests.
const batchMember = "requests"

// EmbedToOpenAI translates an embedContent or batchEmbedContents request into an embeddings
// request in the format of OpenAI. It keeps taskType and title, which the adapter for Google
// reads. It fails with UNSUPPORTED_PARAMETER if the requests of a batch differ in them, or if
// an input is not text.
func EmbedToOpenAI(r *requestbody.Request) (body []byte, dropped []string, err error) {
	t := requestTranslator{req: r}
	inputs := t.readEmbedInputs()
	first := inputs[0]
	w := jsonWriter{buf: make([]byte, 0, len(r.Body)+128)}
	w.open('{')
	w.key("model").text(r.Model)
	w.key("input").open('[')
	for i := range inputs {
		t.checkSame(&first, &inputs[i])
		w.quote(t.embedText(&inputs[i]))
	}
	w.close("]")
	if r.Dimensions > 0 {
		w.key("dimensions").number(int64(r.Dimensions))
	}
	if first.taskType != nil {
		w.key("taskType").raw(first.taskType)
	}
	if first.title != nil {
		w.key("title").raw(first.title)
	}
	w.close("}")
	return w.buf, t.sortedDropped(), t.err
}

// readEmbedInputs returns the requests of the body.
func (t *requestTranslator) readEmbedInputs() (inputs []embedInput) {
	if t.req.IsBatch {
		for v := range jsonscan.Elements(t.req.MemberValue(t.req.FindMember(batchMember))) {
			path := "requests[" + strconv.Itoa(len(inputs)) + "]."
			inputs = append(inputs, t.readEmbedInput(v, path))
		}
		return inputs
	}
	return []embedInput{t.readEmbedInput(t.req.Body, "")}
}

func (t *requestTranslator) readEmbedInput(v jsontext.Value, path string) embedInput {
	in := embedInput{path: path}
	var ignored jsontext.Value
	readFields(v, func(name string, _ jsontext.Value) { t.drop(name) }, field{"content", &in.content}, field{"taskType", &in.taskType},
		field{"title", &in.title}, field{"outputDimensionality", &in.dimensions}, field{"model", &ignored})
	return in
}

// checkSame rejects a batch whose requests have different options.
func (t *requestTranslator) checkSame(first, in *embedInput) {
	if !bytes.Equal(first.taskType, in.taskType) {
		t.reject(in.path+"taskType", "all requests of a batch must have the same value")
	}
	if !bytes.Equal(first.title, in.title) {
		t.reject(in.path+"title", "all requests of a batch must have the same value")
	}
}

// embedText returns the text of an input. The texts of several parts are joined by line breaks.
func (t *requestTranslator) embedText(in *embedInput) (text []byte) {
	c := parseContent(in.content, in.path+"content")
	for i := range c.parts {
		p := &c.parts[i]
		if !jsonscan.IsString(p.text) {
			t.reject(p.path, "the input must be text")
			continue
		}
		if i > 0 {
			text = append(text, '\n')
		}
		text = jsonscan.AppendUnquoted(text, p.text)
	}
	return text
}

// EmbedFromOpenAI translates a normalized embeddings response. batch is set for the response
// to batchEmbedContents.
func EmbedFromOpenAI(body []byte, batch bool) ([]byte, error) {
	w := jsonWriter{buf: make([]byte, 0, len(body)+64)}
	w.open('{')
	if batch {
		w.key("embeddings").open('[')
	} else {
		w.key("embedding")
	}
	count := 0
	for entry := range jsonscan.Elements(jsonscan.Member(body, "data")) {
		if count++; count > 1 && !batch {
			break
		}
		vector := jsonscan.Member(entry, "embedding")
		if len(vector) == 0 || vector[0] != '[' {
			return nil, upstreamerror.InvalidResponse("an embedding is not a vector")
		}
		w.open('{')
		w.key("values").raw(vector)
		w.close("}")
	}
	if count == 0 {
		return nil, upstreamerror.InvalidResponse("no embeddings")
	}
	if batch {
		w.close("]")
	}
	w.close("}")
	return w.buf, nil
}
