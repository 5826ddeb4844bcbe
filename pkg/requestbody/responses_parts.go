package requestbody

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/tokens"
)

// responsesContent describes the content or the output of an item.
type responsesContent struct {
	at span
	// kind is the kind of the value. It is Invalid if the member is missing.
	kind jsonscan.Kind
	// member is the name of the member. problem says what is wrong with the part at
	// problemMember, or is empty. It is an error only if the item has a known type.
	member, problemMember, problem string
	// hasFileID and hasUnknownPart are set if only upstreams of the same protocol can read
	// the content.
	hasFileID, hasUnknownPart bool
}

// readResponsesContent reads a string or an array of parts. It also reads any other value.
func (q *responsesParser) readResponsesContent(member string) responsesContent {
	c := responsesContent{member: member, kind: q.PeekKind()}
	if c.kind != jsonscan.BeginArray {
		c.at = q.lastValueSpan(q.readCountedValue())
		return c
	}
	q.req.Traits |= HasContentParts
	q.Enter(jsonscan.BeginArray)
	start := q.Offset() - 1
	for index := 0; q.NextElement(); index++ {
		if problemMember, problem := q.readResponsesPart(&c); problem != "" && c.problem == "" {
			c.problemMember, c.problem = "["+strconv.Itoa(index)+"]"+problemMember, problem
		}
	}
	c.at = span{start, q.Offset()}
	return c
}

// checkContent fails if the content of an item with a known type is invalid. Null is
// allowed, because clients send it for "not set". It also excludes upstreams that cannot read
// the content.
func (q *responsesParser) checkContent(c *responsesContent) {
	switch c.kind {
	case jsonscan.Invalid, jsonscan.Null, jsonscan.String:
	case jsonscan.BeginArray:
		if c.problem != "" {
			q.failItem("."+c.member+c.problemMember, c.problem)
		}
	default:
		q.failItem("."+c.member, "must be a string or an array of parts")
	}
	q.requireNative(c.hasFileID, nativeFileID)
	q.requireNative(c.hasUnknownPart, nativeContentType)
}

// responsesPart holds the values of a part that decide what it is.
type responsesPart struct {
	kind, text, imageURL, fileID, detail jsontext.Value
	hasFile                              bool
}

var responsesPartNames = []string{"type", "text", "refusal", "image_url", "file_id", "file_data", "file_url", "input_audio", "detail"}

// readResponsesPart reads a part of c. If the part is invalid, it returns the member and the
// problem.
func (q *responsesParser) readResponsesPart(c *responsesContent) (member, problem string) {
	if !q.Enter(jsonscan.BeginObject) {
		q.Value()
		return "", "must be an object"
	}
	var part responsesPart
	for q.NextMember() {
		switch string(q.Name()) {
		case "type":
			part.kind = q.Value()
		case "text", "refusal":
			part.text = q.readCountedValue()
		case "image_url":
			part.imageURL = q.Value()
		case "file_id":
			part.fileID = q.Value()
		case "detail":
			part.detail = q.Value()
		case "file_data", "file_url", "input_audio":
			part.hasFile = part.hasFile || !jsonscan.IsNull(q.Value())
		default:
			q.readUnknownMember(responsesPartNames)
		}
	}
	c.hasFileID = c.hasFileID || hasText(part.fileID)
	return q.countPart(c, &part)
}

// countPart counts the part and checks that it has the member that its type requires.
func (q *responsesParser) countPart(c *responsesContent, part *responsesPart) (member, problem string) {
	switch string(part.kind) {
	case `"input_text"`, `"output_text"`, `"text"`, `"summary_text"`, `"reasoning_text"`:
		if !jsonscan.IsString(part.text) {
			return ".text", "must be a string"
		}
	case `"refusal"`:
		if !jsonscan.IsString(part.text) {
			return ".refusal", "must be a string"
		}
	case `"input_image"`:
		q.counts.images++
		q.counts.otherTokens += tokens.EstimateImage(stripQuotes(part.imageURL), jsonscan.DecodeText(part.detail))
		if !hasText(part.imageURL) && !hasText(part.fileID) {
			return ".image_url", "must be a non-empty string"
		}
	case `"input_file"`:
		q.counts.files++
		if !part.hasFile && !hasText(part.fileID) {
			return "", "must have file_data, file_url or file_id"
		}
	case `"input_audio"`:
		q.counts.audio++
		if !part.hasFile {
			return ".input_audio", "is missing"
		}
	default:
		if !hasText(part.kind) {
			return ".type", "must be a non-empty string"
		}
		c.hasUnknownPart = true
	}
	return "", ""
}
