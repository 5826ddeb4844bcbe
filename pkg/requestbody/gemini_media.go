package requestbody

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/tokens"
)

var (
	inlineDataNames = []string{"mimeType", "data", "displayName"}
	fileDataNames   = []string{"mimeType", "fileUri", "displayName"}
)

func (p *parser) readInlineData() {
	p.gemini.mediaCount++
	mediaType, data := p.readMedia(inlineDataNames, ".inlineData", ".data")
	switch MediaKindOf(mediaType) {
	case ImageMedia:
		p.counts.images++
		p.counts.otherTokens += tokens.EstimateImageData(stripQuotes(data))
	case AudioMedia:
		p.counts.audio++
	case VideoMedia:
		p.addNativeOnly("video")
		p.counts.otherTokens += tokens.PerAttachment
	case FileMedia:
		p.counts.files++
	}
}

// readFileData reads a file that is given by its URI. Chat has a form only for images at a
// public URL.
func (p *parser) readFileData() {
	p.gemini.mediaCount++
	mediaType, uri := p.readMedia(fileDataNames, ".fileData", ".fileUri")
	if MediaKindOf(mediaType) == ImageMedia && IsPublicURL(uri) {
		p.counts.images++
		p.counts.otherTokens += tokens.EstimateImage(stripQuotes(uri), "")
		return
	}
	p.addNativeOnly("file_id")
	p.counts.otherTokens += tokens.PerAttachment
}

// readMedia reads the media type and the second member of names, which has the data. member
// and dataMember are the paths of the object and of the data.
func (p *parser) readMedia(names []string, member, dataMember string) (mediaType, data jsontext.Value) {
	if !p.Enter(jsonscan.BeginObject) {
		p.failInPart(member, "must be an object")
		return nil, nil
	}
	var seen geminiSeen
	for p.NextMember() {
		switch p.geminiName(names, &seen, "") {
		case names[0]:
			mediaType = p.readPartString(member, ".mimeType")
		case names[1]:
			data = p.readPartString(member, dataMember)
		case "displayName":
			p.readPartString(member, ".displayName")
		default:
			p.readUnknownGemini(names, "")
		}
	}
	if jsonscan.IsBlank(data) {
		p.failInPart(member+dataMember, "must be a non-empty string")
	}
	return mediaType, data
}

// MediaKind is the kind of media that a part contains.
type MediaKind int

// These are the kinds. FileMedia is a document or anything else.
const (
	FileMedia MediaKind = iota
	ImageMedia
	AudioMedia
	VideoMedia
)

// MediaKindOf returns the kind of a media type, which is a JSON string.
func MediaKindOf(mediaType jsontext.Value) MediaKind {
	inner := stripQuotes(mediaType)
	switch main, _, _ := bytes.Cut(inner, []byte{'/'}); {
	case bytes.EqualFold(main, []byte("image")):
		return ImageMedia
	case bytes.EqualFold(main, []byte("audio")):
		return AudioMedia
	case bytes.EqualFold(main, []byte("video")):
		return VideoMedia
	}
	return FileMedia
}
