package sse_test

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// eventsOf reads a complete event stream: its payloads, and whether it ended with
// [DONE].
func eventsOf(stream string) (payloads []string, done bool) {
	stream = strings.TrimPrefix(stream, "\ufeff")
	stream = strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(stream, "\n")
	// Text after the last line end is a line only if it is not empty.
	ended := lines[len(lines)-1] == ""
	if ended {
		lines = lines[:len(lines)-1]
	}
	valid := func(s string) bool {
		return jsontext.Value(s).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	}
	isDone := func(s string) bool { return len(s) <= 64 && strings.TrimSpace(s) == "[DONE]" }
	for _, line := range lines {
		text := strings.TrimLeft(line, " \t")
		if text == "" {
			continue
		}
		if text[0] != '{' {
			break
		}
		// JSON instead of events.
		if valid(stream) {
			return []string{strings.Join(lines, "\n")}, false
		}
		return nil, false
	}
	data, name, nextName := "", "", ""
	add := func() {
		text := strings.TrimLeft(data, " \t\r\n")
		isList := strings.HasPrefix(text, "[") && strings.HasPrefix(strings.TrimLeft(text[1:], " \t\r\n"), "{")
		if text != "" && (text[0] == '{' || isList || name == "error") {
			payloads = append(payloads, data)
		}
	}
	for _, line := range lines {
		if line == "" {
			if nextName != "" {
				name = nextName
			}
			if name != "" || strings.TrimSpace(data) != "" {
				add()
			}
			data, name, nextName = "", "", ""
			continue
		}
		if of, ok := strings.CutPrefix(line, "event:"); ok {
			if data == "" {
				name = strings.TrimSpace(of)
			} else {
				nextName = strings.TrimSpace(of)
			}
		}
		more, ok := strings.CutPrefix(line, "data:")
		if !ok {
			continue
		}
		more = strings.TrimPrefix(more, " ")
		over := isDone(more)
		text := strings.TrimLeft(data, " \t\r\n")
		switch {
		case data == "", (over || strings.HasPrefix(more, "{")) && text != "" && text[0] != '{' && text[0] != '[':
			data = more
		case strings.TrimSpace(more) != "" && strings.HasPrefix(text, "{") && valid(data):
			add()
			data, name, nextName = more, nextName, ""
		default:
			data += "\n" + more
		}
		if isDone(data) {
			return payloads, true
		}
	}
	if valid(data) {
		add()
	}
	return payloads, false
}
