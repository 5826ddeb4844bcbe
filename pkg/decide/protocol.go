package decide

import (
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
)

// findProtocolObstacle returns an obstacle if only a provider of the client's protocol can
// serve the request and the endpoint's provider is not one.
func (s *selection) findProtocolObstacle(endpoint *policy.Endpoint) obstacle {
	q := &s.question
	if provider, ok := s.policy.Provider(endpoint.Provider); ok && provider.SpeaksAt(endpoint, q.NativeProtocol) {
		return obstacle{}
	}
	return obstacle{code: OtherProtocol, text: "the request " + describeNative(q)}
}

// describeNative says why only a provider of the client's protocol can serve the request.
func describeNative(q *Question) string {
	return fmt.Sprintf("needs an upstream of the %s protocol, because of: %s", q.NativeProtocol, strings.Join(q.NativeOnly, ", "))
}

// withNative adds the protocol that the request needs, and why, to the details of an error.
func withNative(e *apperr.Error, q *Question) *apperr.Error {
	return e.With("protocol", q.NativeProtocol).With("native_only", q.NativeOnly)
}

// otherProtocolError is the error for a model that no provider serves in the protocol that
// the request needs.
func otherProtocolError(q *Question, c *choice) error {
	message := "no provider of " + c.name + " can serve this request: it " + describeNative(q)
	return withNative(apperr.New(apperr.UnsupportedParameter, message), q).With("param", q.NativeOnly[0])
}
