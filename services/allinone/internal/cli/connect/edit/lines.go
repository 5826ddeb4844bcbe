package edit

import "bytes"

// splice returns the text with the bytes from start to end replaced.
func splice(text []byte, start, end int, replacement string) []byte {
	result := make([]byte, 0, len(text)+len(replacement))
	result = append(result, text[:start]...)
	result = append(result, replacement...)
	return append(result, text[end:]...)
}

// lineStart returns the offset of the start of the line that contains offset.
func lineStart(text []byte, offset int) int {
	return bytes.LastIndexByte(text[:offset], '\n') + 1
}

// lineEnd returns the offset after the line that contains offset, with its line ending.
func lineEnd(text []byte, offset int) int {
	if i := bytes.IndexByte(text[offset:], '\n'); i >= 0 {
		return offset + i + 1
	}
	return len(text)
}

// insertLines inserts complete lines at the start of a line. If the text in front of it has
// no line ending, it gets one.
func insertLines(text []byte, offset int, lines string) []byte {
	if offset > 0 && text[offset-1] != '\n' {
		lines = lineEnding(text) + lines
	}
	return splice(text, offset, offset, lines)
}
