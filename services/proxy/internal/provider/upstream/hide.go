package upstream

import "bytes"

// minHidden is the shortest credential that is taken out of answers. Shorter
// ones are words like "none" that people give their own servers, and that an
// answer may well contain.
const minHidden = 16

// hide takes a credential out of an upstream's words.
func hide(words, secret []byte) []byte {
	if len(secret) == 0 || !bytes.Contains(words, secret) {
		return words
	}
	return bytes.ReplaceAll(words, secret, []byte("***"))
}

// clean is hide for an answer, which may be an error all the same.
func clean(answer, secret []byte) []byte {
	if len(secret) < minHidden {
		return answer
	}
	return hide(answer, secret)
}
