package gemini

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// contentPart writes one part of a content, told by the member that has its
// data. Instructions are text alone.
func (d *draft) contentPart(m *message, v jsontext.Value, to func() *out) {
	known := false
	for name, v := range jsonscan.Members(v) {
		switch string(name) {
		case "type":
			continue
		case "text", "refusal":
			if !isBlank(v) {
				textPart(to(), v)
			}
		case "image_url":
			d.link(m, v, "image_url", "image/jpeg", to)
		case "video_url":
			d.link(m, v, "video_url", "video/mp4", to)
		case "input_audio":
			d.audio(m, v, to)
		case "file":
			d.file(m, v, to)
		default:
			if !isEmpty(v) {
				d.drop("messages[].content[]." + string(name))
			}
			continue
		}
		known = true
	}
	if !known {
		d.refuse(m.at+".content", "the kind of a part is not known")
	}
}

// link writes a picture or a film that is given by its address, or in it.
func (d *draft) link(m *message, v jsontext.Value, name, kind string, to func() *out) {
	address := jsonscan.Text(v)
	for inner, v := range jsonscan.Members(v) {
		switch string(inner) {
		case "url":
			address = jsonscan.Text(v)
		case "detail":
			if string(v) != `"auto"` && !isNull(v) {
				d.drop("messages[].content[]." + name + ".detail")
			}
		}
	}
	if !writeLink(address, kind, to) {
		d.refuse(m.at+".content."+name, "it is neither a data URI nor an http address")
	}
}

// writeLink writes data in a data URI or a reference to what stands elsewhere,
// which Google fetches and we never do. It reports false for anything else.
func writeLink(address []byte, kind string, to func() *out) bool {
	if head, data, ok := bytes.Cut(address, []byte{','}); ok && hasScheme(head, "data:") {
		written, encoded := strings.CutSuffix(string(head[len("data:"):]), ";base64")
		if written, _, _ = strings.Cut(written, ";"); written != "" {
			kind = written
		}
		if !encoded {
			data = fromPercent(data)
		}
		inlineData(to(), kind, data)
		return true
	}
	if !hasScheme(address, "https:") && !hasScheme(address, "http:") && !hasScheme(address, "gs:") {
		return false
	}
	o := to()
	o.open('{')
	o.key("fileData").open('{')
	o.key("mimeType").quote([]byte(kindOf(string(address), kind)))
	o.key("fileUri").quote(address)
	o.b = append(o.b, "}}"...)
	return true
}

func hasScheme(address []byte, scheme string) bool {
	return len(address) > len(scheme) && strings.EqualFold(string(address[:len(scheme)]), scheme)
}

// fromPercent is a data URI's text as base64.
func fromPercent(data []byte) []byte {
	text, err := url.PathUnescape(string(data))
	if err != nil {
		text = string(data)
	}
	return base64.StdEncoding.AppendEncode(nil, []byte(text))
}

func inlineData(o *out, kind string, data []byte) {
	o.open('{')
	o.key("inlineData").open('{')
	o.key("mimeType").quote([]byte(kind))
	o.key("data").quote(data)
	o.b = append(o.b, "}}"...)
}

func (d *draft) audio(m *message, v jsontext.Value, to func() *out) {
	var data, format []byte
	for name, v := range jsonscan.Members(v) {
		switch string(name) {
		case "data":
			data = jsonscan.Text(v)
		case "format":
			format = jsonscan.Text(v)
		}
	}
	if len(data) == 0 || len(format) == 0 {
		d.refuse(m.at+".content.input_audio", "it needs data and a format")
		return
	}
	inlineData(to(), "audio/"+string(format), data)
}

// file writes a document. One that was stored with a vendor before is known
// there alone.
func (d *draft) file(m *message, v jsontext.Value, to func() *out) {
	var data, id, name []byte
	for member, v := range jsonscan.Members(v) {
		switch string(member) {
		case "file_data":
			data = jsonscan.Text(v)
		case "file_id":
			id = jsonscan.Text(v)
		case "filename":
			name = jsonscan.Text(v)
		}
	}
	kind := kindOf(string(name), "application/pdf")
	switch {
	case len(data) > 0 && writeLink(data, kind, to):
	case len(data) > 0 && !bytes.ContainsRune(data, ':'):
		inlineData(to(), kind, data)
	case writeLink(id, kind, to):
	default:
		d.refuse(m.at+".content.file", "it needs file_data, or an address for file_id")
	}
}

// kinds are media types by the endings of names.
var kinds = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif",
	".heic": "image/heic", ".heif": "image/heif", ".pdf": "application/pdf", ".txt": "text/plain",
	".md": "text/markdown", ".csv": "text/csv", ".html": "text/html", ".json": "application/json",
	".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime",
	".mp3": "audio/mp3", ".wav": "audio/wav", ".ogg": "audio/ogg", ".flac": "audio/flac",
}

func kindOf(name, otherwise string) string {
	name, _, _ = strings.Cut(name, "?")
	if kind, ok := kinds[strings.ToLower(path.Ext(name))]; ok {
		return kind
	}
	return otherwise
}
