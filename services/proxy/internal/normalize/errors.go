package normalize

import (
	"errors"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
)

// toResponseError returns the error for an upstream response that could not be
// parsed.
func toResponseError(err error) error {
	var known *apperr.Error
	if errors.As(err, &known) {
		return known
	}
	return upstreamerror.InvalidResponse("not valid JSON").WithCause(err)
}
