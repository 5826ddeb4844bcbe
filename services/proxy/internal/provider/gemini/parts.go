package gemini

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// addContentPart writes one content part. The member that contains the data determines the
// kind of the part. The member "type" is ignored.
func (d *requestTranslator) addContentPart(m *message, v jsontext.Value, to func() *jsonWriter) {
	known := false
	for name, v := range jsonscan.Members(v) {
		switch string(name) {
		case "type":
			continue
		case "text", "refusal":
			if !lacksText(v) {
				writeTextPart(to(), v)
			}
		case "image_url":
			d.addLinkedMedia(m, v, "image_url", "image/jpeg", to)
		case "video_url":
			d.addLinkedMedia(m, v, "video_url", "video/mp4", to)
		case "input_audio":
			d.addAudio(m, v, to)
		case "file":
			d.addFile(m, v, to)
		default:
			if !isEmpty(v) {
				d.reportDropped("messages[].content[]." + string(name))
			}
			continue
		}
		known = true
	}
	if !known {
		d.reject(m.path+".content", `a part must contain "text", "image_url", "video_url", "input_audio" or "file"`)
	}
}

// addLinkedMedia writes an image or a video that is given as a URL.
func (d *requestTranslator) addLinkedMedia(m *message, v jsontext.Value, name, mediaType string, to func() *jsonWriter) {
	link := jsonscan.DecodeString(v)
	for inner, v := range jsonscan.Members(v) {
		switch string(inner) {
		case "url":
			link = jsonscan.DecodeString(v)
		case "detail":
			if string(v) != `"auto"` && !jsonscan.IsNull(v) {
				d.reportDropped("messages[].content[]." + name + ".detail")
			}
		}
	}
	if !writeMediaURL(link, mediaType, to) {
		d.reject(m.path+".content."+name, "the URL must be a data, http or https URL of a file that Google does not store")
	}
}

// writeMediaURL writes the content of a data URL. For another URL it writes a reference,
// and Google fetches the URL. It returns false if the scheme is not supported, or if Google
// stores the file: all accounts share the credential that can read it.
func writeMediaURL(link []byte, mediaType string, to func() *jsonWriter) bool {
	if head, data, ok := bytes.Cut(link, []byte{','}); ok && hasScheme(head, "data:") {
		written, encoded := strings.CutSuffix(string(head[len("data:"):]), ";base64")
		if written, _, _ = strings.Cut(written, ";"); written != "" {
			mediaType = written
		}
		if !encoded {
			data = percentToBase64(data)
		}
		writeInlineData(to(), mediaType, data)
		return true
	}
	if !hasScheme(link, "https:") && !hasScheme(link, "http:") || isStoredFile(string(link)) {
		return false
	}
	o := to()
	o.open('{')
	o.key("fileData").open('{')
	o.key("mimeType").quote([]byte(guessMediaType(string(link), mediaType)))
	o.key("fileUri").quote(link)
	o.buf = append(o.buf, "}}"...)
	return true
}

// filesHost serves the files that Google stores for the owner of a credential.
const filesHost = "generativelanguage.googleapis.com"

// isStoredFile reports whether a URL may refer to such a file.
func isStoredFile(link string) bool {
	u, err := url.Parse(link)
	if err != nil {
		return true
	}
	host := "." + strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	return host == "." || strings.HasSuffix(host, "."+filesHost)
}

func hasScheme(link []byte, scheme string) bool {
	return len(link) > len(scheme) && strings.EqualFold(string(link[:len(scheme)]), scheme)
}

// percentToBase64 converts the percent-encoded data of a data URL to base64.
func percentToBase64(data []byte) []byte {
	text, err := url.PathUnescape(string(data))
	if err != nil {
		text = string(data)
	}
	return base64.StdEncoding.AppendEncode(nil, []byte(text))
}

func writeInlineData(o *jsonWriter, mediaType string, data []byte) {
	o.open('{')
	o.key("inlineData").open('{')
	o.key("mimeType").quote([]byte(mediaType))
	o.key("data").quote(data)
	o.buf = append(o.buf, "}}"...)
}

func (d *requestTranslator) addAudio(m *message, v jsontext.Value, to func() *jsonWriter) {
	var data, format jsontext.Value
	readFields(v, field{"data", &data}, field{"format", &format})
	if lacksText(data) || lacksText(format) {
		d.reject(m.path+".content.input_audio", `send "data" and "format"`)
		return
	}
	writeInlineData(to(), "audio/"+jsonscan.DecodeText(format), jsonscan.DecodeString(data))
}

// addFile writes a document. It rejects a file id that is not a URL, because a file with an
// id is stored at one vendor only.
func (d *requestTranslator) addFile(m *message, v jsontext.Value, to func() *jsonWriter) {
	var rawData, id, name jsontext.Value
	readFields(v, field{"file_data", &rawData}, field{"file_id", &id}, field{"filename", &name})
	data, mediaType := jsonscan.DecodeString(rawData), guessMediaType(jsonscan.DecodeText(name), "application/pdf")
	switch {
	case len(data) > 0 && writeMediaURL(data, mediaType, to):
	case len(data) > 0 && !bytes.ContainsRune(data, ':'):
		writeInlineData(to(), mediaType, data)
	case writeMediaURL(jsonscan.DecodeString(id), mediaType, to):
	default:
		d.reject(m.path+".content.file", `send "file_data", or a URL as "file_id"`)
	}
}

// mediaTypes maps file name extensions to media types.
var mediaTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif",
	".heic": "image/heic", ".heif": "image/heif", ".pdf": "application/pdf", ".txt": "text/plain",
	".md": "text/markdown", ".csv": "text/csv", ".html": "text/html", ".json": "application/json",
	".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime",
	".mp3": "audio/mp3", ".wav": "audio/wav", ".ogg": "audio/ogg", ".flac": "audio/flac",
}

func guessMediaType(name, fallback string) string {
	name, _, _ = strings.Cut(name, "?")
	if mediaType, ok := mediaTypes[strings.ToLower(path.Ext(name))]; ok {
		return mediaType
	}
	return fallback
}
