// Package scripted plays scripted HTTP responses. A script sets the status, the headers and the bytes.
// It also sets where the bytes are split, how long the pauses are, and how the response ends, even if
// that violates HTTP. The sandbox plays them without a network, to produce the faults that users
// request. Tests play them over loopback, with package scriptedtest.
package scripted

import (
	"maps"
	"strings"
	"time"
)

// Ending is what happens after the last piece of a response.
type Ending string

const (
	// Whole completes the response as HTTP requires.
	Whole Ending = ""
	// Close closes the connection in the middle of the response.
	Close Ending = "close"
	// Reset closes the connection with a TCP reset. Without TCP it is the same as Close.
	Reset Ending = "reset"
	// Hang sends nothing more until the client disconnects.
	Hang Ending = "hang"
)

// Piece is a part of the body that is written and flushed together. So clients can observe the
// boundaries between pieces.
type Piece struct {
	Data string
	// Wait is the pause before the piece.
	Wait time.Duration
}

// Response is the scripted response to one call.
type Response struct {
	// Status is 200 when zero.
	Status int
	Header map[string]string
	// Pieces are the body. A response with the ending Whole and at most one piece has a Content-Length.
	// Other responses are chunked, unless Header sets a Content-Length.
	Pieces []Piece
	// Ending follows the pieces. If Status is zero and there are no pieces, an ending other than Whole
	// means that not even a status line is sent.
	Ending Ending
	// Verbatim means that the pieces contain the whole response, including status line and headers.
	// The connection closes after the last piece.
	Verbatim bool
}

// Text returns a response whose body is one piece.
func Text(status int, contentType, body string) Response {
	return Response{Status: status, Header: map[string]string{"Content-Type": contentType}, Pieces: []Piece{{Data: body}}}
}

// JSON returns a JSON response whose body is one piece.
func JSON(status int, body string) Response { return Text(status, "application/json", body) }

// Stream returns an event stream. The pieces are sent as they are, so they must include line ends.
func Stream(pieces ...string) Response {
	a := Response{Status: 200, Header: map[string]string{"Content-Type": "text/event-stream"}}
	for _, p := range pieces {
		a.Pieces = append(a.Pieces, Piece{Data: p})
	}
	return a
}

// Events returns an event stream with one event per payload. Each event is one piece.
func Events(payloads ...string) Response {
	pieces := make([]string, len(payloads))
	for i, p := range payloads {
		pieces[i] = "data: " + p + "\n\n"
	}
	return Stream(pieces...)
}

// Raw returns a response that is written verbatim, including status line and headers.
func Raw(response ...string) Response {
	a := Stream(response...)
	a.Status, a.Header, a.Verbatim = 0, nil, true
	return a
}

// WithHeader returns a copy with one more header.
func (a Response) WithHeader(name, value string) Response {
	return a.WithHeaders(map[string]string{name: value})
}

// WithHeaders returns the response with these headers added or replaced.
func (a Response) WithHeaders(more map[string]string) Response {
	header := map[string]string{}
	maps.Copy(header, a.Header)
	maps.Copy(header, more)
	a.Header = header
	return a
}

// Body returns all pieces as one string.
func (a Response) Body() string {
	var b strings.Builder
	for _, p := range a.Pieces {
		b.WriteString(p.Data)
	}
	return b.String()
}

// Bytewise returns a copy that is sent one byte at a time, without pauses.
func (a Response) Bytewise() Response {
	body := a.Body()
	a.Pieces = make([]Piece, len(body))
	for i := range a.Pieces {
		a.Pieces[i].Data = body[i : i+1]
	}
	return a
}

// Paced returns a copy with a pause before every piece.
func (a Response) Paced(wait time.Duration) Response {
	pieces := make([]Piece, len(a.Pieces))
	for i, p := range a.Pieces {
		pieces[i] = Piece{Data: p.Data, Wait: wait}
	}
	a.Pieces = pieces
	return a
}

// First returns a copy with only the first n pieces and the given ending.
func (a Response) First(n int, ending Ending) Response {
	a.Pieces, a.Ending = a.Pieces[:n:n], ending
	return a
}

// CutAt returns a copy with only the first n bytes and the given ending.
func (a Response) CutAt(n int, ending Ending) Response {
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
