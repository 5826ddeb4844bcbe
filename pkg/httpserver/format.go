package httpserver

import (
	"bytes"
	"net/textproto"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// formatHeader is how a client asks for the vendor's shape of errors.
const formatHeader = "X-Error-Format"

func formatOf(value string) apperr.Format {
	if strings.EqualFold(value, "openai") {
		return apperr.OpenAI
	}
	return apperr.Flat
}

// formatIn finds the header in a request as it arrived, for the answers that
// are given before anybody has the request in another form.
func formatIn(raw []byte) apperr.Format {
	for line := range bytes.Lines(raw) {
		name, value, ok := bytes.Cut(line, []byte(":"))
		if ok && strings.EqualFold(string(name), formatHeader) {
			return formatOf(textproto.TrimString(string(value)))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			break // what follows is the body
		}
	}
	return apperr.Flat
}
