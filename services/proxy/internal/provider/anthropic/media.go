package anthropic

import (
	"bytes"
	"encoding/base64"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// medium writes the block of a part that is not text, with its comma.
func (o *outbound) medium(dst []byte, p *part) ([]byte, error) {
	switch {
	case p.isNative():
		return append(append(dst, p.raw...), ','), nil
	case p.image != nil:
		return o.image(dst, p)
	case isObject(p.file):
		return o.file(dst, p)
	}
	return nil, p.unsupported("it takes text, pictures and documents")
}

func (o *outbound) image(dst []byte, p *part) ([]byte, error) {
	url := p.image
	if isObject(url) {
		url = member(p.image, "url")
		if detail := jsonscan.Text(member(p.image, "detail")); len(detail) > 0 && string(detail) != "auto" {
			o.drop("messages[].content[].image_url.detail")
		}
	}
	return appendMedium(dst, p, jsonscan.Text(url), nil)
}

// file takes what the client has in the request itself: a vendor knows no other
// vendor's files.
func (o *outbound) file(dst []byte, p *part) ([]byte, error) {
	data, name := jsonscan.Text(member(p.file, "file_data")), jsonscan.Text(member(p.file, "filename"))
	if len(data) == 0 {
		return nil, p.unsupported("a file must be in the request, as file_data")
	}
	if !hasScheme(data) {
		// Plain base64 is what the format's own description has.
		data = append([]byte("data:"+mediaType(string(name))+";base64,"), data...)
	}
	return appendMedium(dst, p, data, name)
}

func hasScheme(url []byte) bool {
	at := bytes.IndexByte(url[:min(len(url), 16)], ':')
	return at > 0
}

func mediaType(filename string) string {
	switch strings.ToLower(path.Ext(filename)) {
	case "", ".pdf":
		return typePDF
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

const typePDF = "application/pdf"

// appendMedium writes a picture or document that stands at or in the URL.
func appendMedium(dst []byte, p *part, url, name []byte) ([]byte, error) {
	rest, inline := bytes.CutPrefix(url, []byte("data:"))
	if !inline {
		return appendLinked(dst, p, url, name)
	}
	head, data, ok := bytes.Cut(rest, []byte{','})
	head, isBase64 := bytes.CutSuffix(head, []byte(";base64"))
	if !ok || !isBase64 {
		return nil, p.unsupported("a data URL must be in base64")
	}
	kind, _, _ := strings.Cut(strings.ToLower(string(head)), ";")
	switch {
	case strings.HasPrefix(kind, "image/"):
		return appendSource(dst, "image", "base64", kind, data, nil, p.cache), nil
	case kind == typePDF:
		return appendSource(dst, "document", "base64", kind, data, name, p.cache), nil
	}
	plain, err := base64.StdEncoding.DecodeString(string(data))
	if err != nil || !utf8.Valid(plain) || len(bytes.TrimSpace(plain)) == 0 {
		return nil, p.unsupported("it takes pictures, PDF and text")
	}
	return appendSource(dst, "document", "text", "text/plain", plain, name, p.cache), nil
}

func appendLinked(dst []byte, p *part, url, name []byte) ([]byte, error) {
	if !bytes.HasPrefix(url, []byte("https://")) && !bytes.HasPrefix(url, []byte("http://")) {
		return nil, p.unsupported("it takes data, http and https URLs")
	}
	kind := "document"
	if p.image != nil {
		kind = "image"
	}
	return appendSource(dst, kind, "url", "", url, name, p.cache), nil
}

// appendSource writes a block with the data, which is a URL where that is the
// way.
func appendSource(dst []byte, kind, way, media string, data, name, cache []byte) []byte {
	dst = append(dst, `{"type":"`+kind+`","source":{"type":"`+way+`",`...)
	field := "url"
	if media != "" {
		field = "data"
		dst = appendMember(dst, "media_type", quoted(media))
	}
	dst = append(dst, `"`+field+`":`...)
	dst = append(appendQuoted(dst, data), "},"...)
	if len(name) > 0 {
		dst = appendMember(dst, "title", quoted(name))
	}
	dst = appendMember(dst, "cache_control", cache)
	return closed(dst, "},")
}
