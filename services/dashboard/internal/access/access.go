// Package access says which users may send a request. A Viewer is the
// signed-in user of a request. A Route is a method and a path with its handler
// and the users that it admits: Public, SignedIn, Member, Owner,
// Operator and OperatorOwner create routes. A handler runs only after the check. The packages of the API
// and the pages declare their routes with this package, and web serves them.
package access

import (
	"net/http"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// Viewer is the signed-in user with account and session. A program with an API token is
// the token's user, limited to the scopes of the token.
type Viewer struct {
	Account *keyauthv1.Account
	User    *keyauthv1.User
	Session *keyauthv1.Session
	// Token is the API token of the request; nil for a session.
	Token *keyauthv1.ApiToken
}

// NewViewer returns the viewer of an identity.
func NewViewer(id *keyauthv1.Identity) *Viewer {
	return &Viewer{Account: id.GetAccount(), User: id.GetUser(), Session: id.GetSession()}
}

// Actor returns the user as keyauth expects it.
func (v *Viewer) Actor() *keyauthv1.Actor {
	return &keyauthv1.Actor{AccountId: v.Account.GetId(), UserId: v.User.GetId()}
}

// CheckMember admits members and owners. A viewer may only read.
func (v *Viewer) CheckMember() error {
	if role := v.User.GetRole(); role != keyauthv1.Role_ROLE_MEMBER && role != keyauthv1.Role_ROLE_OWNER {
		return apperr.New(apperr.AuthForbidden, "only members and owners of the account may do this")
	}
	return nil
}

// checkOwner admits owners of the account.
func (v *Viewer) checkOwner() error {
	if v.User.GetRole() != keyauthv1.Role_ROLE_OWNER {
		return apperr.New(apperr.AuthForbidden, "only an owner of the account may do this")
	}
	return nil
}

// checkOperator admits only users of the operator's account, because the call
// concerns the whole installation.
func (v *Viewer) checkOperator() error {
	if !v.Account.GetOperator() {
		return apperr.New(apperr.AuthForbidden, "only users of the operator's account may do this")
	}
	return nil
}

// checkOperatorOwner admits only owners of the operator's account, because
// the call affects other accounts.
func (v *Viewer) checkOperatorOwner() error {
	if err := v.checkOperator(); err != nil {
		return err
	}
	if v.User.GetRole() != keyauthv1.Role_ROLE_OWNER {
		return apperr.New(apperr.AuthForbidden, "only an owner of the operator's account may do this")
	}
	return nil
}

// Authenticate returns the user of a request. Without a valid session the error
// is SESSION_REQUIRED.
type Authenticate func(*http.Request) (*Viewer, error)

// Action handles a request or returns an error. After it has started to write the
// response, it must not return an error.
type Action func(w http.ResponseWriter, r *http.Request) error

// Handler is an Action that knows the signed-in user.
type Handler func(w http.ResponseWriter, r *http.Request, v *Viewer) error
