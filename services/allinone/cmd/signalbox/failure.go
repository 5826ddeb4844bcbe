package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// unreachable is that nobody answers; it has an exit code of its own.
type unreachable struct{ text string }

// Error says where nobody is and what to do.
func (u *unreachable) Error() string { return u.text }

// advice is what to do about a refusal, where its message does not say so.
var advice = map[apperr.Code]string{
	apperr.AuthForbidden:    "the certificate must be the operator's: name its folder by --certs, or, where the service runs, its data directory by --data",
	apperr.StoreUnavailable: "its store is away; try again later",
	apperr.RegistrationOff:  "see --registration of the key service",
}

// explain makes one line of what went wrong: what, its code, what to do.
func (o *operator) explain(err error) error {
	var refused *apperr.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return o.explainRefusal(refused)
	case errors.Is(err, context.DeadlineExceeded):
		return &unreachable{fmt.Sprintf("the %s %s did not answer within %s; what was asked may still be done", o.to.name, o.where(), callLimit)}
	case status.Code(err) == codes.Unavailable:
		return &unreachable{fmt.Sprintf("the %s %s cannot be reached: %s%s", o.to.name, o.where(), transport(err), o.hintCerts())}
	case status.Code(err) == codes.Unimplemented:
		return fmt.Errorf("the %s %s is too old for this command", o.to.name, o.where())
	}
	return err
}

func (o *operator) explainRefusal(e *apperr.Error) error {
	text := e.Message
	if param, ok := e.Details["param"].(string); ok && !strings.Contains(text, param) {
		text = param + ": " + text
	}
	text += " (" + string(e.Code) + ")"
	what, ok := advice[e.Code]
	if e.Code == apperr.NotFound && o.server != "" && o.peers.Certs == "" {
		// Of accounts, who is not the operator is told nothing.
		what, ok = advice[apperr.AuthForbidden], true
	}
	if ok {
		text += "; " + what
	}
	return errors.New(text)
}

func (o *operator) where() string {
	if o.server != "" {
		return "at " + o.server
	}
	return "that runs on " + o.data
}

func (o *operator) hintCerts() string {
	if o.server != "" && o.peers.Certs == "" {
		return "; if it wants a certificate, name its folder by --certs"
	}
	return ""
}

// transport is what gRPC says without its wrapping.
func transport(err error) string {
	text := status.Convert(err).Message()
	if _, inner, ok := strings.Cut(text, `desc = "`); ok {
		text = strings.TrimSuffix(inner, `"`)
	}
	return strings.ReplaceAll(strings.TrimPrefix(text, "transport: "), "\n", " ")
}
