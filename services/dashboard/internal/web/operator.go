package web

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// AccountHeader selects the account of a request on the operator socket. Only the
// handler that NewOperator returns reads it.
const AccountHeader = "X-Signalbox-Account"

// operatorRoutes lists the prefixes of the dashboard routes that are also on the
// operator socket. All of them read or replay records. For accounts and keys the
// command line calls keyauth. NewOperator adds /api/v1/spent.
var operatorRoutes = []string{
	"/api/v1/requests", "/api/v1/impact", "/api/v1/completeness", "/api/v1/dead-letters", "/api/v1/providers",
	"/api/v1/policy/replay",
}

// NewOperator returns the handler of the operator socket. It serves the part of the
// API that concerns records. Every request has the operator's permissions, so the
// handler must never be served on a network address.
func NewOperator(d Deps) http.Handler {
	s := newServer(d)
	s.authenticate = authenticateOperator
	all := s.routes()
	maps.DeleteFunc(all, func(pattern string, _ methods) bool {
		return !slices.ContainsFunc(operatorRoutes, func(begin string) bool { return strings.HasPrefix(pattern, begin) })
	})
	all["/api/v1/spent"] = methods{"GET": s.handleAPI(s.requireSession(s.apiGetSpend))}
	return s.withHeaders(s.recoverPanics(cleanPath(s.newMux(all))))
}

// authenticateOperator returns an owner of the account in AccountHeader.
func authenticateOperator(r *http.Request) (*viewer, error) {
	return &viewer{
		account: &keyauthv1.Account{Id: r.Header.Get(AccountHeader), Operator: true},
		user:    &keyauthv1.User{Role: keyauthv1.Role_ROLE_OWNER},
		session: &keyauthv1.Session{},
	}, nil
}
