package openaicompat

import "bytes"

// minHidden is the shortest credential that is taken out of answers. Shorter
// ones are words like "none" that people give their own servers, and that an
// answer may well contain.
const minHidden = 16

// hide takes our credential out of an upstream's words.
func (p *Provider) hide(words []byte) []byte {
	if len(p.secret) == 0 || !bytes.Contains(words, p.secret) {
		return words
	}
	return bytes.ReplaceAll(words, p.secret, []byte("***"))
}

// clean is hide for an answer, which may be an error all the same.
func (p *Provider) clean(answer []byte) []byte {
	if len(p.secret) < minHidden {
		return answer
	}
	return p.hide(answer)
}
