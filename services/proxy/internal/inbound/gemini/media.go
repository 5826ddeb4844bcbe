package gemini

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// addInlineData adds an image, audio, a video or a document that is part of the request.
func (c *contentWriter) addInlineData(v jsontext.Value) {
	var mediaType, data, name jsontext.Value
	readFields(v, nil, field{"mimeType", &mediaType}, field{"data", &data}, field{"displayName", &name})
	kind := strings.ToLower(jsonscan.DecodeText(mediaType))
	if kind == "" {
		kind = "application/octet-stream"
	}
	content := jsonscan.DecodeString(data)
	switch requestbody.MediaKindOf(mediaType) {
	case requestbody.ImageMedia:
		c.addURLPart("image_url", dataURL(kind, content))
	case requestbody.VideoMedia:
		c.addURLPart("video_url", dataURL(kind, content))
	case requestbody.AudioMedia:
		w := c.startPart("input_audio")
		w.open('{')
		w.key("data").quote(standardBase64(nil, content))
		w.key("format").text(audioFormat(kind))
		w.close("}}")
	case requestbody.FileMedia:
		w := c.startPart("file")
		w.open('{')
		w.key("filename").text(fileName(jsonscan.DecodeText(name), kind))
		w.key("file_data").quote(dataURL(kind, content))
		w.close("}}")
	}
}

// addFileData adds an image at a public URL. Chat has no form for other files by URL.
func (t *requestTranslator) addFileData(content *contentWriter, p *part) {
	var mediaType, uri jsontext.Value
	readFields(p.fileData, nil, field{"mimeType", &mediaType}, field{"fileUri", &uri})
	if requestbody.MediaKindOf(mediaType) != requestbody.ImageMedia || !requestbody.IsPublicURL(uri) {
		t.reject(p.path+".fileData", "only Google can read the file")
		return
	}
	content.addURLPart("image_url", jsonscan.DecodeString(uri))
}

// addURLPart adds a part of the given type, which has a member of the same name with the URL.
func (c *contentWriter) addURLPart(kind string, url []byte) {
	w := c.startPart(kind)
	w.open('{')
	w.key("url").quote(url)
	w.close("}}")
}

func dataURL(mediaType string, data []byte) []byte {
	url := make([]byte, 0, len(mediaType)+len(data)+16)
	url = append(append(append(url, "data:"...), mediaType...), ";base64,"...)
	return standardBase64(url, data)
}

// standardBase64 appends base64 text in the standard alphabet, with padding. Google accepts
// both alphabets, and its Python client sends the other one. Other vendors do not.
func standardBase64(dst, text []byte) []byte {
	n := 0
	for _, c := range text {
		switch c {
		case '-':
			c = '+'
		case '_':
			c = '/'
		}
		if c != '=' {
			n++
		}
		dst = append(dst, c)
	}
	if rest := n % 4; rest > 1 && n == len(text) {
		dst = append(dst, "=="[:4-rest]...)
	}
	return dst
}

// audioFormat returns the format name for a media type such as audio/mpeg.
func audioFormat(mediaType string) string {
	format, _, _ := strings.Cut(strings.TrimPrefix(mediaType, "audio/"), ";")
	switch format {
	case "mpeg", "mpga":
		return "mp3"
	case "x-wav", "wave", "vnd.wave":
		return "wav"
	}
	return format
}

// extensions maps media types to file name extensions. Vendors derive the type of a document
// from its name.
var extensions = map[string]string{
	"application/pdf": ".pdf", "text/plain": ".txt", "text/csv": ".csv", "text/markdown": ".md",
	"text/html": ".html", "application/json": ".json",
}

func fileName(displayName, mediaType string) string {
	if displayName != "" {
		return displayName
	}
	return "file" + extensions[mediaType]
}
