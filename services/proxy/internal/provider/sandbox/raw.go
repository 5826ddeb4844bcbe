package sandbox

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/openaicompat"
)

const maxRawPieces = 10_000

// rawResponse is the exact response of a simulated upstream, byte for byte. It can imitate
// any deviation of a vendor. Package openaicompat reads it like the response of a vendor.
type rawResponse struct {
	// Status defaults to 200.
	Status  int64             `json:"status"`
	Headers map[string]string `json:"headers"`
	// Pieces are written one by one. A piece is a string or an object. The object has
	// "data" or "base64", and optionally "wait_ms", the delay before the piece.
	Pieces []rawPiece `json:"pieces"`
	// End is what happens after the pieces: close, reset or hang. By default the response
	// ends properly.
	End scripted.Ending `json:"end"`
	// Verbatim is set if the pieces include the status line and the headers.
	Verbatim bool `json:"verbatim"`
}

type rawPiece struct {
	Data   string `json:"data"`
	Base64 []byte `json:"base64"`
	WaitMS int64  `json:"wait_ms"`
}

// UnmarshalJSONFrom decodes a piece. A string is a piece without a delay.
func (p *rawPiece) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == jsontext.KindString {
		return json.UnmarshalDecode(d, &p.Data)
	}
	type plain rawPiece
	return json.UnmarshalDecode(d, (*plain)(p), json.RejectUnknownMembers(true))
}

func (r *rawResponse) validate(at string) error {
	if r.Status != 0 && (r.Status < 200 || r.Status > 599) {
		return invalidParam(at+".status", "must be from 200 to 599")
	}
	if len(r.Pieces) > maxRawPieces {
		return invalidParam(at+".pieces", fmt.Sprintf("must have at most %d elements", maxRawPieces))
	}
	for i, p := range r.Pieces {
		if p.WaitMS < 0 || p.WaitMS > maxMS {
			return invalidParam(at+".pieces."+strconv.Itoa(i)+".wait_ms", fmt.Sprintf("must be from 0 to %d", maxMS))
		}
	}
	switch r.End {
	case scripted.Whole, scripted.Close, scripted.Reset, scripted.Hang:
		return nil
	}
	return invalidParam(at+".end", `must be "close", "reset" or "hang"`)
}

func (r *rawResponse) toScripted() scripted.Response {
	a := scripted.Response{Status: int(r.Status), Header: r.Headers, Ending: r.End, Verbatim: r.Verbatim}
	for _, p := range r.Pieces {
		a.Pieces = append(a.Pieces, scripted.Piece{Data: p.Data + string(p.Base64), Wait: milliseconds(p.WaitMS)})
	}
	return a
}

// newProvider returns a provider whose upstream sends this response to any request.
func (r *rawResponse) newProvider() (*openaicompat.Provider, error) {
	return openaicompat.New(openaicompat.Config{
		Name: "sandbox", BaseURL: "http://sandbox.invalid", Transport: egress.WrapTransport(detachedTransport{scripted.Transport(r.toScripted())}),
	})
}

// detachedTransport copies the request body. net/http may still read the body after the
// response has arrived. By then the memory of the request may no longer be valid.
type detachedTransport struct{ http.RoundTripper }

func (d detachedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, fmt.Errorf("read request body: %w", err)
	}
	own := *req
	own.Body = io.NopCloser(bytes.NewReader(body))
	return d.RoundTripper.RoundTrip(&own)
}
