package server

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

// applyTo changes a response according to the directives. inBand returns an error event for the middle
// of a stream.
func (d Directives) applyTo(a scripted.Response, inBand func() string) scripted.Response {
	a = d.replaceResponse(a)
	if a.Header["Content-Type"] == "text/event-stream" {
		a = d.changeEncoding(a)
	}
	if d.Has("dup") && len(a.Pieces) > 0 {
		a.Pieces = append(a.Pieces[:1:1], a.Pieces...)
	}
	if d.Has("error") {
		n := min(d.number("error"), len(a.Pieces))
		a.Pieces = append(a.Pieces[:n:n], scripted.Piece{Data: inBand()})
	}
	if d.Has("coalesce") {
		a.Pieces = []scripted.Piece{{Data: a.Body()}}
	}
	if d.Has("gzip") {
		a = compress(a)
	}
	return d.endEarly(d.addPauses(a))
}

func (d Directives) replaceResponse(a scripted.Response) scripted.Response {
	switch {
	case d.Has("hang"):
		return scripted.Response{Ending: scripted.Hang}
	case d.Has("html"):
		return scripted.Text(502, "text/html", badGatewayPage)
	case d.Has("empty"):
		a.Pieces = nil
	case d.Has("garbage"):
		a.Pieces = []scripted.Piece{{Data: "\x00\x9f{]not what was asked for"}}
	case d.Has("type"):
		return a.With("Content-Type", "text/plain; charset=utf-8")
	}
	return a
}

func (d Directives) changeEncoding(a scripted.Response) scripted.Response {
	var swaps []string
	if d.Has("tight") {
		swaps = append(swaps, "data: ", "data:", "event: ", "event:")
	}
	if d.Has("crlf") {
		swaps = append(swaps, "\r\n", "\r\n", "\n", "\r\n")
	}
	replacer := strings.NewReplacer(swaps...)
	pieces := make([]scripted.Piece, 0, len(a.Pieces))
	for _, p := range a.Pieces {
		p.Data = replacer.Replace(p.Data)
		if d.Has("comments") {
			p.Data = "\n: keep-alive\n\n" + p.Data
		}
		pieces = append(pieces, p)
	}
	a.Pieces = pieces
	return a
}

func (d Directives) addPauses(a scripted.Response) scripted.Response {
	if d.Has("drip") {
		a = a.Bytewise()
	}
	if d.Has("pace") {
		a = a.Paced(d.duration("pace"))
	}
	return a
}

// delayResponse waits for the time of the directive "delay", or until the client disconnects.
func (d Directives) delayResponse(ctx context.Context) {
	timer := time.NewTimer(d.duration("delay"))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (d Directives) endEarly(a scripted.Response) scripted.Response {
	switch {
	case d.Has("stall"):
		return a.First(min(d.number("stall"), len(a.Pieces)), scripted.Hang)
	case d.Has("cut"):
		return a.CutAt(d.number("cut"), scripted.Close)
	case d.Has("reset"):
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
	return a.With("Content-Encoding", "gzip")
}
