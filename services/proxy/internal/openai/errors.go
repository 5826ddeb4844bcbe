package openai

import (
	"errors"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// requestError is what a client is told when its body could not be read.
func requestError(err error) error {
	var known *apperr.Error
	if errors.As(err, &known) {
		return known
	}
	var syntax *jsonscan.Error
	if !errors.As(err, &syntax) {
		return invalidJSON("the body is empty", 0).Because(err)
	}
	if errors.Is(err, errTooMany) {
		return apperr.New(apperr.InvalidRequest, "the body has "+errTooMany.Error()).With("offset", syntax.Offset)
	}
	e := invalidJSON("the body is not valid JSON: "+syntax.Text, syntax.Offset)
	if syntax.Path != "" {
		e = e.With("path", syntax.Path)
	}
	return e.Because(err)
}

func invalid(param, text string) *apperr.Error {
	return apperr.New(apperr.InvalidRequest, param+" "+text).With("param", param)
}

func invalidJSON(message string, offset int) *apperr.Error {
	return apperr.New(apperr.InvalidJSON, message).With("offset", offset)
}

// invalidResponse is for an answer that no client could be given.
func invalidResponse(reason string) *apperr.Error {
	return apperr.New(apperr.ProviderInvalidResponse, "the provider's answer could not be understood").
		With("reason", reason)
}

// answerError is what reading an upstream's answer failed with.
func answerError(err error) error {
	var known *apperr.Error
	if errors.As(err, &known) {
		return known
	}
	return invalidResponse("not valid JSON").Because(err)
}
