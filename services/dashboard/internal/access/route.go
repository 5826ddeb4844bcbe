package access

import "net/http"

// Route is one method of one path. Pattern has the syntax of http.ServeMux
// without a method.
type Route struct {
	Method, Pattern string
	bind            func(Authenticate) Action
	scope           string
}

// Action returns the handler with its check.
func (r Route) Action(authenticate Authenticate) Action {
	return r.bind(func(req *http.Request) (*Viewer, error) {
		v, err := authenticate(req)
		if err != nil {
			return nil, err
		}
		return v, v.checkScope(r.Scope())
	})
}

// Public returns a route that needs no session.
func Public(method, pattern string, a Action) Route {
	return Route{Method: method, Pattern: pattern, bind: func(Authenticate) Action { return a }}
}

// SignedIn returns a route for requests with a valid session.
func SignedIn(method, pattern string, h Handler) Route {
	return newRoute(method, pattern, h, func(*Viewer) error { return nil })
}

// Member returns a route for users who may change something in their account.
func Member(method, pattern string, h Handler) Route {
	return newRoute(method, pattern, h, (*Viewer).CheckMember)
}

// Owner returns a route for owners of the account.
func Owner(method, pattern string, h Handler) Route {
	return newRoute(method, pattern, h, (*Viewer).checkOwner)
}

// Operator returns a route for users of the operator's account.
func Operator(method, pattern string, h Handler) Route {
	return newRoute(method, pattern, h, (*Viewer).checkOperator)
}

// OperatorOwner returns a route for owners of the operator's account.
func OperatorOwner(method, pattern string, h Handler) Route {
	return newRoute(method, pattern, h, (*Viewer).checkOperatorOwner)
}

func newRoute(method, pattern string, h Handler, check func(*Viewer) error) Route {
	return Route{Method: method, Pattern: pattern, bind: func(authenticate Authenticate) Action {
		return func(w http.ResponseWriter, r *http.Request) error {
			v, err := authenticate(r)
			if err != nil {
				return err
			}
			if err := check(v); err != nil {
				return err
			}
			return h(w, r, v)
		}
	}}
}
