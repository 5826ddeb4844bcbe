package requestbody

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/tokens"
)

// readSource reads the source of an image or a document. A search result has its address
// as the source.
func (p *parser) readSource(b *anthropicBlock) {
	if !p.Enter(jsonscan.BeginObject) {
		p.Value()
		return
	}
	for p.NextMember() {
		switch string(p.Name()) {
		case "type":
			b.sourceKind = p.readPlain()
		case "data":
			b.sourceData = p.Value()
		case "file_id":
			p.noteFileID(p.Value())
		case "content":
			p.readInnerContent()
		default:
			p.readUnknownMember([]string{"type", "data", "media_type", "content", "url", "file_id"})
		}
	}
}

func (p *parser) addImageSource(b *anthropicBlock) {
	switch string(b.sourceKind) {
	case `"base64"`:
		p.counts.otherTokens += tokens.EstimateImageData(stripQuotes(b.sourceData))
	case `"file"`:
		p.addNativeOnly("file_id")
	default:
		p.counts.otherTokens += tokens.EstimateImage(nil, "")
	}
}

func (p *parser) addDocumentSource(b *anthropicBlock) {
	switch string(b.sourceKind) {
	case `"text"`:
		p.counts.textBytes += jsonscan.DecodedLen(b.sourceData)
		p.counts.textTokens += p.estimateText(stripQuotes(b.sourceData))
	case `"content"`:
	case `"base64"`:
		p.counts.files++
	case `"file"`:
		p.counts.files++
		p.addNativeOnly("file_id")
	default:
		p.counts.files++
		p.addNativeOnly("document")
	}
}
