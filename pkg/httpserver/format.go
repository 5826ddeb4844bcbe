package httpserver

import (
	"bytes"
	"net/textproto"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// errorFormatHeader is the request header with which clients select the format of errors.
const errorFormatHeader = "X-Error-Format"

func parseFormat(value string) apperr.Format {
	if strings.EqualFold(value, "openai") {
		return apperr.OpenAI
	}
	return apperr.Flat
}

// findFormat finds errorFormatHeader in the raw headers of a request. It is for requests that cannot be
// parsed.
func findFormat(raw []byte) apperr.Format {
	for line := range bytes.Lines(raw) {
		name, value, ok := bytes.Cut(line, []byte(":"))
		if ok && strings.EqualFold(string(name), errorFormatHeader) {
			return parseFormat(textproto.TrimString(string(value)))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			break // the body follows
		}
	}
	return apperr.Flat
}
