package sse

import "bytes"

// heartbeat is what Next returns for an event without data for the caller. It is not nil.
var heartbeat = []byte{}

// payload returns the data of the current event, or heartbeat.
func (e *Reader) payload() []byte {
	if e.isHeartbeat() {
		return heartbeat
	}
	return e.data
}

// isHeartbeat reports whether the current event only shows that the upstream is alive.
// Upstreams send such events while a model is busy, for example "data: ping",
// "data: : keepalive", "data: null" or "data: []". Chunks are JSON objects. A list of
// objects may report errors, and so may any text in an event called error.
func (e *Reader) isHeartbeat() bool {
	text := bytes.TrimLeft(e.data, " \t\r\n")
	return len(text) == 0 || !startsObject(text) && !startsObjectList(text) && string(e.name) != "error"
}

// hasEvent reports whether the lines since the last blank line contain an event.
func (e *Reader) hasEvent() bool { return len(e.name) > 0 || len(bytes.TrimSpace(e.data)) > 0 }

// isIdleLine reports whether a line between two events is a comment or has no data. It is
// a heartbeat by itself. Next returns it at once, without waiting for a blank line.
func (e *Reader) isIdleLine(line []byte) bool {
	if e.isJSON || len(e.data) > 0 || len(e.name) > 0 || len(e.nextName) > 0 {
		return false
	}
	return line[0] == ':' || string(bytes.TrimRight(line, " ")) == "data:"
}

func startsObject(text []byte) bool { return len(text) > 0 && text[0] == '{' }

func startsObjectList(text []byte) bool {
	return len(text) > 0 && text[0] == '[' && startsObject(bytes.TrimLeft(text[1:], " \t\r\n"))
}

// startsJSON reports whether the data of an event may become a chunk when more lines arrive.
func startsJSON(data []byte) bool {
	text := bytes.TrimLeft(data, " \t\r\n")
	return len(text) == 0 || text[0] == '{' || text[0] == '['
}
