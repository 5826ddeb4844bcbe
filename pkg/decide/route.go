package decide

// Route is how a request was finally served.
type Route string

// The routes. A request that was rejected before routing has an empty route.
const (
	// RouteExpected means that HealthyFirst served the request, and that RoutePolicy does not
	// apply. HealthyFirst is the first choice of the decision if every provider is healthy.
	RouteExpected Route = "expected"
	// RouteFallback means that a candidate other than HealthyFirst served the request, or
	// that the router could not decide.
	RouteFallback Route = "fallback"
	// RoutePolicy means that HealthyFirst served the request, and that the policy or the key
	// determined HealthyFirst. See Decision.PolicyControlled.
	RoutePolicy Route = "policy"
)

// RouteOf returns the route of a request that a candidate served. routerFailed means that the
// proxy made the decision because the router could not. Records and the tests of a policy both
// use this rule.
func (d *Decision) RouteOf(served Candidate, routerFailed bool) Route {
	switch {
	case routerFailed || served != d.HealthyFirst:
		return RouteFallback
	case d.PolicyControlled:
		return RoutePolicy
	}
	return RouteExpected
}
