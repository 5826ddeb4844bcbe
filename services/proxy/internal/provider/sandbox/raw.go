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

const maxPieces = 10_000

// raw is an upstream's answer, byte for byte, so that any deviation of a
// vendor can be tried without one. It is read by the code that reads vendors.
type raw struct {
	// Status is 200 when not given.
	Status  int64             `json:"status"`
	Headers map[string]string `json:"headers"`
	// Pieces are written one by one. One is a text, or an object with data or
	// base64, and wait_ms, the silence before it.
	Pieces []rawPiece `json:"pieces"`
	// End is what follows: close, reset or hang; a proper end if not given.
	End scripted.Ending `json:"end"`
	// Verbatim takes the pieces for the status line and the headers too.
	Verbatim bool `json:"verbatim"`
}

type rawPiece struct {
	Data   string `json:"data"`
	Base64 []byte `json:"base64"`
	WaitMS int64  `json:"wait_ms"`
}

// UnmarshalJSONFrom takes a text for a piece without a wait.
func (p *rawPiece) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == jsontext.KindString {
		return json.UnmarshalDecode(d, &p.Data)
	}
	type plain rawPiece
	return json.UnmarshalDecode(d, (*plain)(p), json.RejectUnknownMembers(true))
}

func (r *raw) check(at string) error {
	if r.Status != 0 && (r.Status < 200 || r.Status > 599) {
		return invalid(at+".status", "must be from 200 to 599")
	}
	if len(r.Pieces) > maxPieces {
		return invalid(at+".pieces", fmt.Sprintf("must have at most %d elements", maxPieces))
	}
	for i, p := range r.Pieces {
		if p.WaitMS < 0 || p.WaitMS > maxMS {
			return invalid(at+".pieces."+strconv.Itoa(i)+".wait_ms", fmt.Sprintf("must be from 0 to %d", maxMS))
		}
	}
	switch r.End {
	case scripted.Whole, scripted.Close, scripted.Reset, scripted.Hang:
		return nil
	}
	return invalid(at+".end", "must be close, reset or hang")
}

func (r *raw) answer() scripted.Answer {
	a := scripted.Answer{Status: int(r.Status), Header: r.Headers, Ending: r.End, Verbatim: r.Verbatim}
	for _, p := range r.Pieces {
		a.Pieces = append(a.Pieces, scripted.Piece{Data: p.Data + string(p.Base64), Wait: ms(p.WaitMS)})
	}
	return a
}

// vendor is one who answers so, whatever is asked.
func (r *raw) vendor() (*openaicompat.Provider, error) {
	return openaicompat.New(openaicompat.Config{
		Name: "sandbox", BaseURL: "http://sandbox.invalid", Transport: egress.Over(detached{scripted.Transport(r.answer())}),
	})
}

// detached keeps net/http, which may still read a body when the answer is
// there, from the memory of a request that is over.
type detached struct{ http.RoundTripper }

func (d detached) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, fmt.Errorf("read the request's body: %w", err)
	}
	own := *req
	own.Body = io.NopCloser(bytes.NewReader(body))
	return d.RoundTripper.RoundTrip(&own)
}
