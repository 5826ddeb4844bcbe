package emulate

import (
	"bytes"
	"compress/gzip"
	"context"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// badGatewayPage is the error page of a load balancer in front of a vendor.
const badGatewayPage = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n"

// applyTo changes a response according to the directives. errorEvent returns an error event for the middle
// of a stream.
func (d directives) applyTo(a scripted.Response, errorEvent func() string) scripted.Response {
	a = d.replaceResponse(a)
	if a.Header["Content-Type"] == "text/event-stream" {
		a = d.changeEventSyntax(a)
	}
	if d.has("dup") && len(a.Pieces) > 0 {
		a.Pieces = append(a.Pieces[:1:1], a.Pieces...)
	}
	if d.has("error") {
		n := min(d.number("error"), len(a.Pieces))
		a.Pieces = append(a.Pieces[:n:n], scripted.Piece{Data: errorEvent()})
	}
	if d.has("coalesce") {
		a.Pieces = []scripted.Piece{{Data: a.Body()}}
	}
	if d.has("gzip") {
		a = compress(a)
	}
	return d.endEarly(d.addPauses(a))
}

func (d directives) replaceResponse(a scripted.Response) scripted.Response {
	switch {
	case d.has("hang"):
		return scripted.Response{Ending: scripted.Hang}
	case d.has("html"):
		return scripted.Text(502, "text/html", badGatewayPage)
	case d.has("empty"):
		a.Pieces = nil
	case d.has("garbage"):
		a.Pieces = []scripted.Piece{{Data: "\x00\x9f{]not what was asked for"}}
	case d.has("type"):
		return a.WithHeader("Content-Type", "text/plain; charset=utf-8")
	}
	return a
}

func (d directives) changeEventSyntax(a scripted.Response) scripted.Response {
	var swaps []string
	if d.has("tight") {
		swaps = append(swaps, "data: ", "data:", "event: ", "event:")
	}
	if d.has("crlf") {
		swaps = append(swaps, "\r\n", "\r\n", "\n", "\r\n")
	}
	replacer := strings.NewReplacer(swaps...)
	pieces := make([]scripted.Piece, 0, len(a.Pieces))
	for _, p := range a.Pieces {
		p.Data = replacer.Replace(p.Data)
		if d.has("comments") {
			p.Data = "\n: keep-alive\n\n" + p.Data
		}
		pieces = append(pieces, p)
	}
	a.Pieces = pieces
	return a
}

func (d directives) addPauses(a scripted.Response) scripted.Response {
	if d.has("drip") {
		a = a.Bytewise()
	}
	if d.has("pace") {
		a = a.Paced(d.duration("pace"))
	}
	return a
}

// delayResponse waits for the time of the directive "delay", or until the client disconnects.
func (d directives) delayResponse(ctx context.Context) {
	timer := time.NewTimer(d.duration("delay"))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (d directives) endEarly(a scripted.Response) scripted.Response {
	switch {
	case d.has("stall"):
		return a.First(min(d.number("stall"), len(a.Pieces)), scripted.Hang)
	case d.has("cut"):
		return a.CutAt(d.number("cut"), scripted.Close)
	case d.has("reset"):
		return a.CutAt(d.number("reset"), scripted.Reset)
	}
	return a
}

func compress(a scripted.Response) scripted.Response {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(a.Body()))
	_ = w.Close()
	a.Pieces = []scripted.Piece{{Data: b.String()}}
	return a.WithHeader("Content-Encoding", "gzip")
}
