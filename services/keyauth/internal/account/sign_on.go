package account

import (
	"context"
	"errors"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

const (
	// operatorAccountName selects the operator's account in a sign-on.
	operatorAccountName = "operator"
	// maxIssuerLength and maxSubjectLength are lengths in characters. The specification
	// limits a subject to 255 ASCII characters.
	maxIssuerLength  = 500
	maxSubjectLength = 255
)

// ExternalIdentity is a person at an OpenID Connect issuer. Only both fields together
// identify the person.
type ExternalIdentity struct{ Issuer, Subject string }

// IdentityReader reads external identities.
type IdentityReader interface {
	// UserByIdentity finds the user of an external identity.
	UserByIdentity(ctx context.Context, id ExternalIdentity) (access.User, error)
	// HasIdentity reports whether an external identity is linked to the user.
	HasIdentity(ctx context.Context, accountID, userID string) (bool, error)
}

// IdentityWriter reads and saves external identities.
type IdentityWriter interface {
	IdentityReader
	SaveIdentity(ctx context.Context, id ExternalIdentity, u access.User) error
}

// SignOnRequest describes a person whom an issuer has identified.
type SignOnRequest struct {
	ExternalIdentity
	Email string
	// EmailVerified is true if the issuer has verified the e-mail address.
	EmailVerified bool
	// Role is the role that the person's groups give; empty means none.
	Role access.Role
	// Account is the id of the account that the people of the issuer join, or "operator".
	Account string
	// Client describes the browser, as in SignInRequest.
	Client string
	// SessionToken is the token of a password session of the same browser; may be empty.
	SessionToken string
}

func (r *SignOnRequest) validate() (err error) {
	switch {
	case !setting.IsText(r.Issuer, 1, maxIssuerLength):
		return setting.InvalidParam("issuer", "the issuer is not valid")
	case !setting.IsText(r.Subject, 1, maxSubjectLength):
		return setting.InvalidParam("subject", "the issuer's id of the person is not valid")
	case r.Role != "" && r.Role.Rank() == 0:
		return access.InvalidRole()
	}
	r.Email, err = setting.NormalizeEmail(r.Email)
	return err
}

// SignOn signs a person in whose identity an issuer has proven. It creates the user at the
// first sign-on, and sets the role at every one. A person without a role is refused and
// loses all sessions and API tokens. The caller must have verified the proof.
func (s *Service) SignOn(ctx context.Context, req SignOnRequest) (access.SignIn, error) {
	if err := req.validate(); err != nil {
		return access.SignIn{}, err
	}
	var in access.SignIn
	var refused error
	err := s.write(ctx, func(tx Tx) error {
		refused = nil
		a, err := signOnAccount(ctx, tx, req.Account)
		if err != nil {
			return err
		}
		u, err := s.signOnUser(ctx, tx, a, req)
		if apperr.Is(err, apperr.AuthForbidden) {
			refused = err // the user's sessions have ended, so the transaction must commit
			return nil
		}
		if err != nil {
			return err
		}
		in, err = access.OpenSession(ctx, tx, a, u, access.Session{Client: req.Client, Issuer: req.Issuer})
		return err
	})
	if err == nil {
		err = refused
	}
	return in, err
}

func signOnAccount(ctx context.Context, rows access.AccountReader, name string) (access.Account, error) {
	var a access.Account
	err := access.ErrNoRow
	switch {
	case strings.EqualFold(name, operatorAccountName):
		a, err = rows.Operator(ctx)
	case access.IsID(name):
		a, err = rows.Account(ctx, name)
	}
	return a, access.WrapLookup(err, "account")
}

// signOnUser returns the user of the identity with the role of the request. The error is
// AUTH_FORBIDDEN if the person may not sign in.
func (s *Service) signOnUser(ctx context.Context, tx Tx, a access.Account, req SignOnRequest) (access.User, error) {
	u, err := tx.UserByIdentity(ctx, req.ExternalIdentity)
	if errors.Is(err, access.ErrNoRow) {
		return s.addSignOnUser(ctx, tx, a, req)
	}
	if err != nil {
		return access.User{}, err
	}
	if u.AccountID != a.ID {
		return access.User{}, apperr.New(apperr.AuthForbidden, "you belong to another account than the one of this sign-on; ask the operator")
	}
	return updateSignOnUser(ctx, tx, a, u, req)
}

// addSignOnUser links the identity to the user of the browser's password session, or
// creates a user. The e-mail address alone never links an identity: every issuer could
// then sign in as every user. Owners of the operator's account with a password are never
// linked, so that no issuer can change them.
func (s *Service) addSignOnUser(ctx context.Context, tx Tx, a access.Account, req SignOnRequest) (access.User, error) {
	if req.Role == "" {
		return access.User{}, noRoleError()
	}
	existing, err := tx.UserByEmail(ctx, req.Email)
	if errors.Is(err, access.ErrNoRow) {
		return createSignOnUser(ctx, tx, a, req)
	}
	if err != nil {
		return access.User{}, err
	}
	proven, err := s.hasPasswordSession(ctx, tx, existing, req.SessionToken)
	if err != nil {
		return access.User{}, err
	}
	if existing.AccountID != a.ID || !req.EmailVerified || !proven {
		return access.User{}, s.notLinkedError()
	}
	if hasOperatorPassword(a, existing) {
		return access.User{}, apperr.New(apperr.EmailTaken,
			"an owner of the operator's account with a password cannot be linked; use another e-mail address at the issuer").With("param", "email")
	}
	if err := tx.SaveIdentity(ctx, req.ExternalIdentity, existing); err != nil {
		return access.User{}, err
	}
	if err := recordSignOn(ctx, tx, existing, "user.link", req); err != nil {
		return access.User{}, err
	}
	return updateSignOnUser(ctx, tx, a, existing, req)
}

// hasPasswordSession reports whether the token is that of a valid password session of the
// user.
func (s *Service) hasPasswordSession(ctx context.Context, rows access.SessionReader, u access.User, token string) (bool, error) {
	if token == "" {
		return false, nil
	}
	id, err := rows.Session(ctx, access.HashToken(token))
	if errors.Is(err, access.ErrNoRow) {
		return false, nil
	}
	return err == nil && id.User.ID == u.ID && id.Session.Issuer == "" && s.isValidSession(id, access.Now()), err
}

// notLinkedError says how to link a user, which is not possible while passwords do not work.
func (s *Service) notLinkedError() error {
	message := "a user with your e-mail address exists already; sign in with the password first, then use the sign-on in the same browser"
	if s.ssoOnly {
		message = "a user with your e-mail address exists already; ask the operator: users link the sign-on before --sso-only is set"
	}
	return apperr.New(apperr.EmailTaken, message).With("param", "email")
}

func createSignOnUser(ctx context.Context, tx Tx, a access.Account, req SignOnRequest) (access.User, error) {
	if err := checkUserLimit(ctx, tx, a); err != nil {
		return access.User{}, err
	}
	u := access.User{ID: access.NewID(), AccountID: a.ID, Email: req.Email, Role: req.Role, CreatedAt: access.Now()}
	if err := tx.SaveUser(ctx, u); err != nil {
		return access.User{}, err
	}
	if err := tx.SaveIdentity(ctx, req.ExternalIdentity, u); err != nil {
		return access.User{}, err
	}
	return u, recordSignOn(ctx, tx, u, "user.provision", req)
}

func recordSignOn(ctx context.Context, tx access.EventWriter, u access.User, action string, req SignOnRequest) error {
	after := u.AuditFields()
	after["issuer"] = req.Issuer
	return access.RecordEvent(ctx, tx, access.Actor{AccountID: u.AccountID, UserID: u.ID}, action, u.ID, nil, after)
}

func noRoleError() error {
	return apperr.New(apperr.AuthForbidden, "none of your groups gives access; ask the administrator of your sign-on")
}
