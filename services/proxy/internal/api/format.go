package api

import (
	"net/http"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// chooseFormat chooses the format of error bodies by path, so that a client gets every error
// in the format of its protocol, even that of an unknown path. Clients of the Messages protocol
// also read the id of the request from another header.
func (x *exchange) chooseFormat(path string) {
	format := nativeFormat(path, x.r.Header)
	if format == apperr.Flat {
		return // newExchange has read X-Error-Format
	}
	x.format = format
	if format == apperr.Anthropic {
		x.setHeader("Request-Id", x.requestID)
	}
}

// nativeFormat returns the format of the vendor whose clients use the path. It returns Flat
// for the other paths.
func nativeFormat(path string, h http.Header) apperr.Format {
	switch {
	case isBelow(path, GeminiPrefix), isBelow(path, modelsPath) && findModelMethod(path, "") != nil:
		return apperr.Gemini
	case isBelow(path, Prefix+"/messages"):
		return apperr.Anthropic
	case isBelow(path, Prefix+"/responses"):
		return apperr.Responses
	case isBelow(path, modelsPath) && firstValue(h, "Anthropic-Version") != "":
		return apperr.Anthropic
	}
	return apperr.Flat
}

// isBelow reports whether path is root or below root.
func isBelow(path, root string) bool {
	return strings.HasPrefix(path, root) && (len(path) == len(root) || path[len(root)] == '/')
}
