package feedback

import (
	"errors"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// ToAPIError converts a Problem into the error that clients get. Its details name the item
// and the field. Other errors are returned unchanged.
func ToAPIError(err error) error {
	var p *Problem
	if !errors.As(err, &p) {
		return err
	}
	out := apperr.New(apperr.InvalidRequest, p.Error())
	if p.Index >= 0 {
		out = out.With("index", p.Index)
	}
	if p.Field != "" {
		out = out.With("param", p.Field)
	}
	return out
}
