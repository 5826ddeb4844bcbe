package gemini

import (
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

// reportDropped records that a field is not sent, or not with the client's value.
func (d *requestTranslator) reportDropped(name string) { d.dropped.Add(name) }
