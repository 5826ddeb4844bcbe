package emulate

import (
	"bytes"
	"compress/gzip"
	"context"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// page is the error page of a load balancer in front of a vendor.
const page = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n"

// bend changes a response as the directives say. inBand is an error for the middle of a
// stream.
func (d directives) bend(a scripted.Answer, inBand func() string) scripted.Answer {
	a = d.replace(a)
	if a.Header["Content-Type"] == "text/event-stream" {
		a = d.lines(a)
	}
	if d.has("dup") && len(a.Pieces) > 0 {
		a.Pieces = append(a.Pieces[:1:1], a.Pieces...)
	}
	if d.has("error") {
		n := min(d.number("error"), len(a.Pieces))
		a.Pieces = append(a.Pieces[:n:n], scripted.Piece{Data: inBand()})
	}
	if d.has("coalesce") {
		a.Pieces = []scripted.Piece{{Data: a.Body()}}
	}
	if d.has("gzip") {
		a = squeeze(a)
	}
	return d.end(d.time(a))
}

// replace replaces the response with something else.
func (d directives) replace(a scripted.Answer) scripted.Answer {
	switch {
	case d.has("hang"):
		return scripted.Answer{Ending: scripted.Hang}
	case d.has("html"):
		return scripted.Text(502, "text/html", page)
	case d.has("empty"):
		a.Pieces = nil
	case d.has("garbage"):
		a.Pieces = []scripted.Piece{{Data: "\x00\x9f{]not what was asked for"}}
	case d.has("type"):
		return a.With("Content-Type", "text/plain; charset=utf-8")
	}
	return a
}

// lines changes how the events of a stream are encoded.
func (d directives) lines(a scripted.Answer) scripted.Answer {
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

// time adds pauses between the pieces.
func (d directives) time(a scripted.Answer) scripted.Answer {
	if d.has("drip") {
		a = a.Bytewise()
	}
	if d.has("pace") {
		a = a.Paced(d.duration("pace"))
	}
	return a
}

// hold delays the response while the client waits.
func (d directives) hold(ctx context.Context) {
	timer := time.NewTimer(d.duration("delay"))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// end makes the response end early.
func (d directives) end(a scripted.Answer) scripted.Answer {
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

func squeeze(a scripted.Answer) scripted.Answer {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(a.Body()))
	_ = w.Close()
	a.Pieces = []scripted.Piece{{Data: b.String()}}
	return a.With("Content-Encoding", "gzip")
}
