package gemini

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// refuse is the end of a request that would be answered otherwise than asked.
func (d *draft) refuse(param, why string) {
	if d.err == nil {
		d.err = unsupported(param, why)
	}
}

func unsupported(param, why string) error {
	if why == "" {
		why = "the provider has nothing like it"
	}
	return apperr.New(apperr.UnsupportedParameter, param+" is not supported by this model: "+why).With("param", param)
}

const (
	// maxDropped and maxName bound what is told of a request: a header has
	// to hold it.
	maxDropped = 32
	maxName    = 64
)

// drop names a field that is left out.
func (d *draft) drop(name string) {
	if len(d.dropped) >= maxDropped || slices.Contains(d.dropped, name) {
		return
	}
	if len(name) > maxName || slices.ContainsFunc([]byte(name), func(b byte) bool { return b <= ' ' || b > '~' || b == ',' }) {
		name = "other"
	}
	d.dropped = append(d.dropped, name)
}
