package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// adviceByCode contains what to do next, for API errors whose message does not say it.
var adviceByCode = map[apperr.Code]string{
	apperr.AuthForbidden:    "this needs the operator's certificate: set --certs to its directory, or run the command on the machine of the service with --data",
	apperr.StoreUnavailable: "the service cannot reach its store; try again later",
	apperr.RegistrationOff:  "the operator can change this with the --registration setting",
}

// explainError turns an error into one line: what failed, the error code, and what to do.
func (o *Command) explainError(err error) error {
	var apiErr *apperr.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &apiErr):
		return o.explainAPIError(apiErr)
	case errors.Is(err, context.DeadlineExceeded):
		return &cli.UnreachableError{Text: fmt.Sprintf("the %s %s did not respond within %s; if the command changes something, the change may still happen", o.service.name, o.serviceLocation(), CallTimeout)}
	case status.Code(err) == codes.Unavailable:
		return &cli.UnreachableError{Text: fmt.Sprintf("the %s %s cannot be reached: %s%s", o.service.name, o.serviceLocation(), transportMessage(err), o.certsHint())}
	case status.Code(err) == codes.Unimplemented:
		return fmt.Errorf("the %s %s is too old for this command; upgrade it", o.service.name, o.serviceLocation())
	}
	return err
}

func (o *Command) explainAPIError(e *apperr.Error) error {
	text := e.Message
	if param, ok := e.Details["param"].(string); ok && !strings.Contains(text, param) {
		text = param + ": " + text
	}
	text += " (" + string(e.Code) + ")"
	advice, ok := adviceByCode[e.Code]
	if e.Code == apperr.NotFound && o.server != "" && o.peers.Certs == "" {
		// To callers that are not the operator, keyauth returns NOT_FOUND for every account.
		advice, ok = adviceByCode[apperr.AuthForbidden], true
	}
	if ok && !o.usesToken() {
		text += "; " + advice
	}
	return errors.New(text)
}

func (o *Command) serviceLocation() string {
	if o.server != "" {
		return "at " + o.server
	}
	return "with the data directory " + o.data
}

func (o *Command) certsHint() string {
	if o.server != "" && o.peers.Certs == "" && !o.usesToken() {
		return "; if it requires a certificate, set --certs to the certificate directory"
	}
	return ""
}

// transportMessage removes the text that gRPC adds around a connection error.
func transportMessage(err error) string {
	text := status.Convert(err).Message()
	if _, inner, ok := strings.Cut(text, `desc = "`); ok {
		text = strings.TrimSuffix(inner, `"`)
	}
	return strings.ReplaceAll(strings.TrimPrefix(text, "transport: "), "\n", " ")
}
