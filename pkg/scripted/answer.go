// Package scripted is an HTTP upstream that does what it is told: any status,
// headers and bytes, with chosen boundaries and pauses between them, and any
// end, proper or not. It keeps what it received. Tests of the edge and of
// provider adapters call it over loopback; the sandbox plays the faults that
// its users ask for through it, without a network. It knows no wire format but
// that of one good answer, in openai.go, and is no place for logic.
package scripted

import (
	"strings"
	"time"
)

// Ending is what comes after the last piece of an answer.
type Ending string

const (
	// Whole ends the answer as HTTP wants it.
	Whole Ending = ""
	// Close closes the connection in the midst of the answer.
	Close Ending = "close"
	// Reset does so with a TCP reset, where there is TCP.
	Reset Ending = "reset"
	// Hang stays silent until the caller is gone.
	Hang Ending = "hang"
)

// Piece is some bytes that are written and flushed together, so that a reader
// meets the boundaries between pieces.
type Piece struct {
	Data string
	// Wait is the silence before it.
	Wait time.Duration
}

// Answer is what an Upstream says to one call.
type Answer struct {
	// Status is 200 when zero.
	Status int
	Header map[string]string
	// Pieces are the body. An answer that comes whole, in at most one piece, has a
	// Content-Length; others are chunked unless Header gives one.
	Pieces []Piece
	// Ending comes after the pieces. Without pieces and status, anything but
	// Whole comes in the place of an answer.
	Ending Ending
	// Verbatim takes the pieces for all of the answer, status line and headers
	// included. The connection is closed after it.
	Verbatim bool
}

// Text is an answer in one piece.
func Text(status int, contentType, body string) Answer {
	return Answer{Status: status, Header: map[string]string{"Content-Type": contentType}, Pieces: []Piece{{Data: body}}}
}

// JSON is an answer in one piece of JSON.
func JSON(status int, body string) Answer { return Text(status, "application/json", body) }

// Stream is an event stream of raw pieces, which bring their own line ends.
func Stream(pieces ...string) Answer {
	a := Answer{Status: 200, Header: map[string]string{"Content-Type": "text/event-stream"}}
	for _, p := range pieces {
		a.Pieces = append(a.Pieces, Piece{Data: p})
	}
	return a
}

// Events is an event stream with a piece for each payload.
func Events(payloads ...string) Answer {
	pieces := make([]string, len(payloads))
	for i, p := range payloads {
		pieces[i] = "data: " + p + "\n\n"
	}
	return Stream(pieces...)
}

// Raw is a whole HTTP response, written as it stands.
func Raw(response ...string) Answer {
	a := Stream(response...)
	a.Status, a.Header, a.Verbatim = 0, nil, true
	return a
}

// With is the same answer with a header more.
func (a Answer) With(name, value string) Answer {
	header := map[string]string{name: value}
	for n, v := range a.Header {
		if n != name {
			header[n] = v
		}
	}
	a.Header = header
	return a
}

// Body is all pieces together.
func (a Answer) Body() string {
	var b strings.Builder
	for _, p := range a.Pieces {
		b.WriteString(p.Data)
	}
	return b.String()
}

// Bytewise is the same answer, one byte at a time, without pauses.
func (a Answer) Bytewise() Answer {
	body := a.Body()
	a.Pieces = make([]Piece, len(body))
	for i := range a.Pieces {
		a.Pieces[i].Data = body[i : i+1]
	}
	return a
}

// Paced is the same answer with a pause before every piece.
func (a Answer) Paced(wait time.Duration) Answer {
	pieces := make([]Piece, len(a.Pieces))
	for i, p := range a.Pieces {
		pieces[i] = Piece{Data: p.Data, Wait: wait}
	}
	a.Pieces = pieces
	return a
}

// First is the first n pieces of the answer, and then the ending.
func (a Answer) First(n int, ending Ending) Answer {
	a.Pieces, a.Ending = a.Pieces[:n:n], ending
	return a
}

// CutAt is the answer up to its nth byte, and then the ending.
func (a Answer) CutAt(n int, ending Ending) Answer {
	var kept []Piece
	for _, p := range a.Pieces {
		if n < len(p.Data) {
			p.Data = p.Data[:n]
		}
		n -= len(p.Data)
		if p.Data != "" {
			kept = append(kept, p)
		}
	}
	a.Pieces, a.Ending = kept, ending
	return a
}
