package web

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// AccountHeader names the account whose records the operator asks for. Only the
// handler of NewOperator reads it.
const AccountHeader = "X-Signalbox-Account"

// operatorRoutes are the beginnings of the addresses that the operator's
// command line asks: what is about the ledger. Accounts and keys it asks
// keyauth for.
var operatorRoutes = []string{
	"/api/v1/requests", "/api/v1/impact", "/api/v1/completeness", "/api/v1/dead-letters", "/api/v1/providers",
	"/api/v1/policy/replay",
}

// NewOperator makes the handler of the operator's own socket: the part of the
// API that is about the ledger, with the operator's authority for whoever
// reaches it. It must never be served to others.
func NewOperator(d Deps) http.Handler {
	s := newServer(d)
	s.who = operatorOf
	all := s.routes()
	maps.DeleteFunc(all, func(pattern string, _ methods) bool {
		return !slices.ContainsFunc(operatorRoutes, func(begin string) bool { return strings.HasPrefix(pattern, begin) })
	})
	all["/api/v1/spent"] = methods{"GET": s.api(s.signedIn(s.apiSpent))}
	return s.identified(s.guarded(clean(s.serve(all))))
}

// operatorOf is somebody who is in every account.
func operatorOf(r *http.Request) (*viewer, error) {
	return &viewer{
		account: &keyauthv1.Account{Id: r.Header.Get(AccountHeader), Operator: true},
		user:    &keyauthv1.User{Role: keyauthv1.Role_ROLE_OWNER},
		session: &keyauthv1.Session{},
	}, nil
}
