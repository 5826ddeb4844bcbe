package decide

// Route is how a request was finally served.
type Route string

// The routes. A request that was rejected before routing has an empty route.
const (
	// RouteExpected means that the first choice of the plan served the request.
	RouteExpected Route = "expected"
	// RouteFallback means that another candidate served the request than the first choice
	// would be if every candidate were healthy, or that the router could not decide.
	RouteFallback Route = "fallback"
	// RoutePolicy means that a rule or an operator's constraint determined the first choice,
	// and the first choice served the request.
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
