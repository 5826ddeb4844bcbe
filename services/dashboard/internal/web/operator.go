package web

import (
	"net/http"
	"slices"
	"strings"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
)

// operatorRoutes lists the prefixes of the dashboard routes that are also on the
// operator socket. They read or replay records, or import feedback on them. For accounts and keys the
// command line calls keyauth. NewOperator adds /api/v1/spent.
var operatorRoutes = []string{
	"/api/v1/requests", "/api/v1/sessions", "/api/v1/impact", "/api/v1/completeness", "/api/v1/dead-letters", "/api/v1/providers",
	"/api/v1/policy/replay", "/api/v1/feedback", "/api/v1/quality",
}

// operatorReads lists the patterns of which only GET is on the operator socket. A change of an alert
// needs a user, who is named as its author.
var operatorReads = []string{"/api/v1/alerts"}

// NewOperator returns the handler of the operator socket. It serves the part of the
// API that concerns records. Every request has the operator's permissions, so the
// handler must never be served on a network address.
func NewOperator(d Deps) http.Handler {
	s := newServer(d)
	s.authenticate = authenticateOperator
	a := s.newAPI()
	served := a.accounts.OperatorRoutes()
	for _, route := range a.routes() {
		isRead := route.Method == http.MethodGet && slices.Contains(operatorReads, route.Pattern)
		if isRead || slices.ContainsFunc(operatorRoutes, func(begin string) bool { return strings.HasPrefix(route.Pattern, begin) }) {
			served = append(served, route)
		}
	}
	all := map[string]methods{}
	s.addRoutes(all, served, s.handleAPI)
	return s.withHeaders(s.recoverPanics(cleanPath(s.newMux(all))))
}

// authenticateOperator returns an owner of the account in AccountHeader.
func authenticateOperator(r *http.Request) (*access.Viewer, error) {
	return &access.Viewer{
		Account: &keyauthv1.Account{Id: r.Header.Get(httpapi.AccountHeader), Operator: true},
		User:    &keyauthv1.User{Role: keyauthv1.Role_ROLE_OWNER},
		Session: &keyauthv1.Session{},
	}, nil
}
