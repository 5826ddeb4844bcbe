package anthropic

import (
	"bytes"
	"encoding/base64"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// appendMediaBlock appends the block for a part that is not text, with a trailing comma.
func (o *requestTranslator) appendMediaBlock(dst []byte, p *contentPart) ([]byte, error) {
	switch {
	case p.isNative():
		return append(append(dst, p.raw...), ','), nil
	case p.image != nil:
		return o.appendImageBlock(dst, p)
	case isObject(p.file):
		return o.appendFileBlock(dst, p)
	}
	return nil, p.unsupportedError("it accepts text, images and documents")
}

func (o *requestTranslator) appendImageBlock(dst []byte, p *contentPart) ([]byte, error) {
	url := p.image
	if isObject(url) {
		url = jsonscan.Member(p.image, "url")
		if detail := jsonscan.DecodeString(jsonscan.Member(p.image, "detail")); len(detail) > 0 && string(detail) != "auto" {
			o.reportDropped("messages[].content[].image_url.detail")
		}
	}
	return appendURLBlock(dst, p, jsonscan.DecodeString(url), nil)
}

// appendFileBlock appends a file whose content is in the request. It rejects a file that is
// given only by its id, because such a file is stored at one vendor only.
func (o *requestTranslator) appendFileBlock(dst []byte, p *contentPart) ([]byte, error) {
	data, name := jsonscan.DecodeString(jsonscan.Member(p.file, "file_data")), jsonscan.DecodeString(jsonscan.Member(p.file, "filename"))
	if len(data) == 0 {
		return nil, p.unsupportedError("send the content of the file as \"file_data\"")
	}
	if !hasScheme(data) {
		// Some clients send plain base64, as the OpenAI API reference shows.
		data = append([]byte("data:"+guessMediaType(string(name))+";base64,"), data...)
	}
	return appendURLBlock(dst, p, data, name)
}

func hasScheme(url []byte) bool {
	at := bytes.IndexByte(url[:min(len(url), 16)], ':')
	return at > 0
}

func guessMediaType(filename string) string {
	switch strings.ToLower(path.Ext(filename)) {
	case "", ".pdf":
		return mediaTypePDF
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".gif":
		return "image/gif"
	case ".webp":
		return "image/webp"
	}
	return "text/plain"
}

const mediaTypePDF = "application/pdf"

// appendURLBlock appends the block for an image or document. url must be a data, http or
// https URL.
func appendURLBlock(dst []byte, p *contentPart, url, name []byte) ([]byte, error) {
	rest, inline := bytes.CutPrefix(url, []byte("data:"))
	if !inline {
		return appendLinkedBlock(dst, p, url, name)
	}
	head, data, ok := bytes.Cut(rest, []byte{','})
	head, isBase64 := bytes.CutSuffix(head, []byte(";base64"))
	if !ok || !isBase64 {
		return nil, p.unsupportedError("a data URL must be base64-encoded")
	}
	kind, _, _ := strings.Cut(strings.ToLower(string(head)), ";")
	switch {
	case strings.HasPrefix(kind, "image/"):
		return appendSourceBlock(dst, "image", "base64", kind, data, nil, p.cache), nil
	case kind == mediaTypePDF:
		return appendSourceBlock(dst, "document", "base64", kind, data, name, p.cache), nil
	}
	plain, err := base64.StdEncoding.DecodeString(string(data))
	if err != nil || !utf8.Valid(plain) || len(bytes.TrimSpace(plain)) == 0 {
		return nil, p.unsupportedError("it accepts images, PDF and text")
	}
	return appendSourceBlock(dst, "document", "text", "text/plain", plain, name, p.cache), nil
}

func appendLinkedBlock(dst []byte, p *contentPart, url, name []byte) ([]byte, error) {
	if !bytes.HasPrefix(url, []byte("https://")) && !bytes.HasPrefix(url, []byte("http://")) {
		return nil, p.unsupportedError("it accepts data, http and https URLs")
	}
	kind := "document"
	if p.image != nil {
		kind = "image"
	}
	return appendSourceBlock(dst, kind, "url", "", url, name, p.cache), nil
}

// appendSourceBlock appends a block with its source. media is the media type of data. If
// media is empty, data is a URL.
func appendSourceBlock(dst []byte, kind, sourceType, media string, data, name, cache []byte) []byte {
	dst = append(dst, `{"type":"`+kind+`","source":{"type":"`+sourceType+`",`...)
	field := "url"
	if media != "" {
		field = "data"
		dst = appendMember(dst, "media_type", quoteString(media))
	}
	dst = append(dst, `"`+field+`":`...)
	dst = append(jsonscan.AppendQuoted(dst, data), "},"...)
	if len(name) > 0 {
		dst = appendMember(dst, "title", quoteString(name))
	}
	dst = appendMember(dst, "cache_control", cache)
	return closeWith(dst, "},")
}
