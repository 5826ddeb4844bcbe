package responses

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// contentBuilder collects the content of one message of the chat.
type contentBuilder struct {
	// parts holds the parts of the chat, each with a trailing comma.
	parts []byte
	count int
	// plain is the text if the content is a single text without further members.
	plain jsontext.Value
}

// appendValue appends a string, an array of parts, or null if there is no content.
func (b *contentBuilder) appendValue(dst []byte) []byte {
	switch {
	case b.count == 0:
		return append(dst, "null"...)
	case b.count == 1 && b.plain != nil:
		return append(dst, b.plain...)
	}
	return appendList(dst, b.parts)
}

// appendRequired is like appendValue, but appends an empty string if there is no content.
func (b *contentBuilder) appendRequired(dst []byte) []byte {
	if b.count == 0 {
		return append(dst, `""`...)
	}
	return b.appendValue(dst)
}

// contentPart is one part of the client's content, as raw JSON.
type contentPart struct {
	kind, text, refusal, imageURL, detail    jsontext.Value
	fileID, fileData, fileURL, filename      jsontext.Value
	audio, annotations, logprobs, breakpoint jsontext.Value
}

// addContent adds a string or an array of parts. member is the name of the content in the
// client's item, with a leading dot.
func (t *requestTranslator) addContent(b *contentBuilder, content jsontext.Value, member string) error {
	if jsonscan.IsString(content) {
		b.addText(content, nil)
		return nil
	}
	index := 0
	for raw := range jsonscan.Elements(content) {
		if err := t.addPart(b, raw, member+"["+strconv.Itoa(index)+"]"); err != nil {
			return err
		}
		index++
	}
	return nil
}

func (t *requestTranslator) addPart(b *contentBuilder, raw jsontext.Value, path string) error {
	var p contentPart
	readFields(raw, func(name string) { t.reportDropped("input[].content[]." + name) },
		field{"type", &p.kind}, field{"text", &p.text}, field{"refusal", &p.refusal}, field{"image_url", &p.imageURL},
		field{"detail", &p.detail}, field{"file_id", &p.fileID}, field{"file_data", &p.fileData}, field{"file_url", &p.fileURL},
		field{"filename", &p.filename}, field{"input_audio", &p.audio}, field{"annotations", &p.annotations},
		field{"logprobs", &p.logprobs}, field{"prompt_cache_breakpoint", &p.breakpoint})
	if hasText(p.fileID) {
		return unsupportedError(t.path(path+".file_id"), "the file is stored at another provider")
	}
	switch jsonscan.DecodeText(p.kind) {
	case "input_text", "output_text", "text", "summary_text", "reasoning_text":
		b.addText(p.text, p.breakpoint)
	case "refusal":
		b.addPart("refusal", "refusal", p.refusal, p.breakpoint)
	case "input_image":
		b.addPart("image_url", "image_url", t.imageObject(&p), p.breakpoint)
	case "input_file":
		b.addPart("file", "file", p.fileObject(), p.breakpoint)
	case "input_audio":
		b.addPart("input_audio", "input_audio", p.audio, p.breakpoint)
	default:
		return unsupportedError(t.path(path), "only a provider of the Responses protocol can read content of this type")
	}
	return nil
}

func (b *contentBuilder) addText(text, breakpoint jsontext.Value) {
	b.addPart("text", "text", text, breakpoint)
	if b.plain = text; b.count > 1 || breakpoint != nil {
		b.plain = nil
	}
}

// addPart adds a part of the chat. breakpoint marks the end of a prefix to cache. Chats have
// the same member.
func (b *contentBuilder) addPart(kind, member string, v, breakpoint jsontext.Value) {
	b.parts = append(append(b.parts, `{"type":"`...), kind...)
	b.parts = append(b.parts, '"')
	b.parts = appendMember(b.parts, member, v)
	b.parts = append(appendMember(b.parts, "prompt_cache_breakpoint", breakpoint), "},"...)
	b.plain = nil
	b.count++
}

// imageObject returns the image in the format of a chat, which has no detail "original".
func (t *requestTranslator) imageObject(p *contentPart) []byte {
	detail := p.detail
	if string(detail) == `"original"` {
		t.reportDropped("input[].content[].detail")
		detail = nil
	}
	object := append([]byte(`{"url":`), p.imageURL...)
	return append(appendMember(object, "detail", detail), '}')
}

// fileObject returns the file in the format of a chat. The provider adapters accept a URL
// instead of the data.
func (p *contentPart) fileObject() []byte {
	data := p.fileData
	if len(data) == 0 {
		data = p.fileURL
	}
	object := append([]byte(`{"file_data":`), data...)
	return append(appendMember(object, "filename", p.filename), '}')
}
