package messages

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

func (t *requestTranslator) addImage(to *contentBuilder, b *block) {
	url := jsonscan.Member(b.source, "url")
	if stringValue(jsonscan.Member(b.source, "type")) == "base64" {
		url = dataURL(b.source)
	}
	to.addPart("image_url", closeWith(appendMember([]byte{'{'}, "url", url), "}"), b.cache)
}

// dataURL returns the data URL of a base64 source, as a JSON string.
func dataURL(source []byte) []byte {
	media, data := inner(jsonscan.Member(source, "media_type")), inner(jsonscan.Member(source, "data"))
	url := append(make([]byte, 0, len(media)+len(data)+16), `"data:`...)
	url = append(append(url, media...), ";base64,"...)
	return append(append(url, data...), '"')
}

// addDocument adds a document. A document that is given as text becomes text, because most
// vendors accept only PDF files.
func (t *requestTranslator) addDocument(to *contentBuilder, b *block) {
	switch stringValue(jsonscan.Member(b.source, "type")) {
	case "base64":
		name := b.title
		if !hasText(name) {
			name = []byte(`"document.pdf"`)
		}
		file := appendMember([]byte{'{'}, "filename", name)
		file = closeWith(appendMember(file, "file_data", dataURL(b.source)), "}")
		if hasText(b.context) {
			to.addText(b.context, nil)
		}
		to.addPart("file", file, b.cache)
	case "text":
		to.addText(joinLines(b.title, b.context, jsonscan.Member(b.source, "data")), b.cache)
	default:
		if head := joinLines(b.title, b.context); hasText(head) {
			to.addText(head, nil)
		}
		t.addInnerBlocks(to, jsonscan.Member(b.source, "content"))
		to.markCache(b.cache)
	}
}

func (t *requestTranslator) addSearchResult(to *contentBuilder, b *block) {
	lines := [][]byte{b.title, b.source}
	for item := range jsonscan.Elements(b.content) {
		lines = append(lines, jsonscan.Member(item, "text"))
	}
	to.addText(joinLines(lines...), b.cache)
}

// addInnerBlocks adds a content inside of a block: a string, or an array of blocks.
func (t *requestTranslator) addInnerBlocks(to *contentBuilder, content []byte) {
	to.addText(content, nil)
	for raw := range jsonscan.Elements(content) {
		b := t.parseBlock(raw)
		t.addBlock(to, &b)
	}
}

// joinLines joins the texts of JSON strings with line breaks. It skips empty ones.
func joinLines(texts ...[]byte) []byte {
	joined := []byte{'"'}
	for _, v := range texts {
		if !hasText(v) {
			continue
		}
		if len(joined) > 1 {
			joined = append(joined, `\n`...)
		}
		joined = append(joined, inner(v)...)
	}
	return append(joined, '"')
}
