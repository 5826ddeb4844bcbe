package openai

import (
	"errors"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// toResponseError returns the error for an upstream response that could not be
// parsed.
func toResponseError(err error) error {
	var known *apperr.Error
	if errors.As(err, &known) {
		return known
	}
	return errInvalidResponse("not valid JSON").WithCause(err)
}
