package decide

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
)

// findIssuerObstacle returns an obstacle if the request refers to an object that another provider
// than the endpoint's stores.
func findIssuerObstacle(q *Question, endpoint *policy.Endpoint) obstacle {
	if endpoint.Provider == q.Issuer {
		return obstacle{}
	}
	return obstacle{code: OtherIssuer, text: "the request " + describeIssuer(q)}
}

// describeIssuer says why only one provider can serve the request.
func describeIssuer(q *Question) string {
	return "refers to an object that is stored at provider " + truncateName(q.Issuer)
}

func withIssuer(e *apperr.Error, q *Question) *apperr.Error {
	return e.With("issuer", truncateName(q.Issuer))
}

// withoutOtherIssuers returns the candidates at the provider that stores the object. The other ones
// do not explain why the request cannot be served.
func withoutOtherIssuers(q *Question, evaluations []*evaluation) []*evaluation {
	if q.Issuer == "" {
		return evaluations
	}
	return slices.DeleteFunc(slices.Clone(evaluations), func(e *evaluation) bool { return e.obstacle.code == OtherIssuer })
}

// otherIssuerError is the error if the provider of the stored object serves no candidate.
func otherIssuerError(q *Question, c *choice, evaluations []*evaluation) error {
	if !c.explicit {
		return noEligibleRouteError(q, c, evaluations)
	}
	message := "no provider of " + c.name + " can serve this request: it " + describeIssuer(q)
	e := withIssuer(apperr.New(apperr.UnsupportedParameter, message), q)
	if len(q.NativeOnly) > 0 {
		e = e.With("param", q.NativeOnly[0])
	}
	return e
}
