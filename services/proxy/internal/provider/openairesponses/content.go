package openairesponses

import (
	"bytes"
	"path"
	"strings"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// contentPart is one part of a message's content, as raw JSON. breakpoint marks the end of a
// prefix to cache. Both formats have this member.
type contentPart struct {
	kind, text, refusal, image, file, audio, cache, breakpoint []byte
	message                                                    *message
}

func (p *contentPart) unsupportedError(why string) error {
	return p.message.unsupportedError("content", why)
}

func (t *requestTranslator) parsePart(m *message, raw []byte) contentPart {
	p := contentPart{message: m}
	readObject(raw, t.dropBelow("messages[].content[]."), field{"type", &p.kind}, field{"text", &p.text},
		field{"refusal", &p.refusal}, field{"image_url", &p.image}, field{"file", &p.file}, field{"input_audio", &p.audio},
		field{"cache_control", &p.cache}, field{"prompt_cache_breakpoint", &p.breakpoint})
	if !isEmpty(p.cache) {
		t.reportDropped("messages[].content[].cache_control")
	}
	return p
}

// appendInputParts appends the parts of the content to the input, each with a trailing comma.
func (t *requestTranslator) appendInputParts(m *message) (err error) {
	for raw := range jsonscan.Elements(m.content) {
		p := t.parsePart(m, raw)
		if t.input, err = t.appendInputPart(t.input, &p); err != nil {
			return err
		}
	}
	return nil
}

func (t *requestTranslator) appendInputPart(dst []byte, p *contentPart) ([]byte, error) {
	var err error
	switch {
	case jsonscan.IsString(p.text):
		dst = appendMember(append(dst, `{"type":"input_text",`...), "text", p.text)
	case jsonscan.IsString(p.refusal):
		dst = appendMember(append(dst, `{"type":"input_text",`...), "text", p.refusal)
	case p.image != nil:
		dst, err = appendImage(append(dst, `{"type":"input_image",`...), p)
	case isObject(p.file):
		dst, err = t.appendFile(append(dst, `{"type":"input_file",`...), p)
	case isObject(p.audio):
		dst = appendMember(append(dst, `{"type":"input_audio",`...), "input_audio", p.audio)
	default:
		err = p.unsupportedError("it accepts text, images, files and audio")
	}
	if err != nil {
		return nil, err
	}
	return closeWith(appendMember(dst, "prompt_cache_breakpoint", p.breakpoint), "},"), nil
}

// appendImage appends the members of an image. The detail is required.
func appendImage(dst []byte, p *contentPart) ([]byte, error) {
	url, detail := p.image, []byte(nil)
	if isObject(p.image) {
		url = nil
		readObject(p.image, nil, field{"url", &url}, field{"detail", &detail})
	}
	if !hasText(url) {
		return nil, p.unsupportedError("an image needs a URL")
	}
	if detail == nil {
		detail = []byte(`"auto"`)
	}
	return appendMember(appendMember(dst, "image_url", url), "detail", detail), nil
}

// appendFile appends the members of a file: its id, its address or its content.
func (t *requestTranslator) appendFile(dst []byte, p *contentPart) ([]byte, error) {
	var id, data, name []byte
	readObject(p.file, t.dropBelow("messages[].content[].file."), field{"file_id", &id}, field{"file_data", &data}, field{"filename", &name})
	switch {
	case hasText(id):
		return appendMember(dst, "file_id", id), nil
	case !hasText(data):
		return nil, p.unsupportedError(`a file needs "file_data" or "file_id"`)
	case bytes.HasPrefix(data, []byte(`"https://`)), bytes.HasPrefix(data, []byte(`"http://`)):
		return appendMember(dst, "file_url", data), nil
	case !bytes.HasPrefix(data, []byte(`"data:`)):
		// Some clients send plain base64, as the reference of the chat API shows.
		data = append([]byte(`"data:`+guessMediaType(stringValue(name))+`;base64,`), data[1:]...)
	}
	if !hasText(name) {
		name = []byte(`"file"`)
	}
	return appendMember(appendMember(dst, "filename", name), "file_data", data), nil
}

func guessMediaType(filename string) string {
	switch strings.ToLower(path.Ext(filename)) {
	case "", ".pdf":
		return "application/pdf"
	}
	return "text/plain"
}

// addOutputParts adds an assistant message whose content consists of parts.
func (t *requestTranslator) addOutputParts(m *message) error {
	start := len(t.input)
	t.beginMessage("assistant")
	t.input = append(t.input, '[')
	empty := len(t.input)
	if hasText(m.content) {
		t.appendOutputText(m.content)
	}
	for raw := range jsonscan.Elements(m.content) {
		switch p := t.parsePart(m, raw); {
		case jsonscan.IsString(p.text):
			t.appendOutputText(p.text)
		case jsonscan.IsString(p.refusal):
			t.appendRefusal(p.refusal)
		default:
			return p.unsupportedError("only user messages may contain images and files")
		}
	}
	if hasText(m.refusal) {
		t.appendRefusal(m.refusal)
	}
	if len(t.input) == empty {
		t.input = t.input[:start]
		return nil
	}
	t.input = closeWith(t.input, "]},")
	return nil
}

func (t *requestTranslator) appendOutputText(text []byte) {
	t.input = appendMember(append(t.input, `{"type":"output_text",`...), "text", text)
	t.input = append(t.input, `"annotations":[]},`...)
}

func (t *requestTranslator) appendRefusal(text []byte) {
	t.input = closeWith(appendMember(append(t.input, `{"type":"refusal",`...), "refusal", text), "},")
}
