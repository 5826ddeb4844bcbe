package requestbody

import "strconv"

// noIndex means that a position is not inside an array.
const noIndex = -1

// geminiPosition is the position of a part, for the paths in errors.
type geminiPosition struct {
	// holder is the client's name of the member that contains the content.
	holder []byte
	// content and part are indexes. They are noIndex for a single object, which Google
	// accepts in place of an array.
	content, part int
}

// path returns the path of the current part, or of the current content if no part is read.
func (g *geminiState) path(part int) string {
	b := append([]byte(g.prefix), g.at.holder...)
	b = appendIndex(b, g.at.content)
	if part != outsideParts {
		b = appendIndex(append(b, ".parts"...), part)
	}
	return string(b)
}

// outsideParts is the part for errors that concern the whole content.
const outsideParts = -2

func appendIndex(b []byte, index int) []byte {
	if index == noIndex {
		return b
	}
	return append(strconv.AppendInt(append(b, '['), int64(index), 10), ']')
}

// failInPart sets an error in the current part. member starts with a dot, or is empty.
func (p *parser) failInPart(member, text string) {
	if p.Err() == nil {
		p.SetError(errInvalidParam(p.gemini.path(p.gemini.at.part)+member, text))
	}
}

func (p *parser) failInContent(member, text string) {
	if p.Err() == nil {
		p.SetError(errInvalidParam(p.gemini.path(outsideParts)+member, text))
	}
}
