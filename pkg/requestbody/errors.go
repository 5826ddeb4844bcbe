package requestbody

import (
	"errors"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// toRequestError returns the error that a client gets for a body that could not be
// parsed.
func toRequestError(err error) error {
	var known *apperr.Error
	if errors.As(err, &known) {
		return known
	}
	var syntax *jsonscan.Error
	if !errors.As(err, &syntax) {
		return errInvalidJSON("the body is empty", 0).WithCause(err)
	}
	if errors.Is(err, jsonscan.ErrTooManyMembers) {
		return apperr.New(apperr.InvalidRequest, "the body has "+jsonscan.ErrTooManyMembers.Error()).With("offset", syntax.Offset)
	}
	e := errInvalidJSON("the body is not valid JSON: "+syntax.Text, syntax.Offset)
	if syntax.Path != "" {
		e = e.With("path", syntax.Path)
	}
	return e.WithCause(err)
}

func errInvalidParam(param, text string) *apperr.Error {
	return apperr.New(apperr.InvalidRequest, param+" "+text).With("param", param)
}

func errInvalidJSON(message string, offset int) *apperr.Error {
	return apperr.New(apperr.InvalidJSON, message).With("offset", offset)
}
