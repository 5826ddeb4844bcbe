package gemini

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// reject makes the request fail with UNSUPPORTED_PARAMETER. It is used for fields and values
// that cannot be dropped, because the response would then differ from what the client
// requested. The first rejected field determines the error.
func (d *requestTranslator) reject(param, why string) {
	if d.err == nil {
		d.err = unsupportedError(param, why)
	}
}

func unsupportedError(param, why string) error {
	if why == "" {
		why = "the provider has no equivalent"
	}
	return apperr.New(apperr.UnsupportedParameter, param+" is not supported by this model: "+why).With("param", param)
}

const (
	// maxDropped and maxFieldName limit the list of dropped fields, because the list is sent
	// in a response header.
	maxDropped   = 32
	maxFieldName = 64
)

// reportDropped records that a field is not sent, or not with the client's value.
func (d *requestTranslator) reportDropped(name string) {
	if len(d.dropped) >= maxDropped || slices.Contains(d.dropped, name) {
		return
	}
	if len(name) > maxFieldName || slices.ContainsFunc([]byte(name), func(b byte) bool { return b <= ' ' || b > '~' || b == ',' }) {
		name = "other"
	}
	d.dropped = append(d.dropped, name)
}
