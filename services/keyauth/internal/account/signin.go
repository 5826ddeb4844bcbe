package account

import (
	"cmp"
	"context"
	"errors"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
	"github.com/signalbox/signalbox/services/keyauth/internal/signinguard"
)

// SignInRequest is the input of a person who signs in or becomes a user.
type SignInRequest struct {
	Email    string
	Password string
	// Client describes the browser and ends with the IP address. It is shown in the
	// list of sessions. Attempts are throttled by this IP address.
	Client string
}

// Register creates an account with its owner and signs the owner in. If name is empty,
// the e-mail address becomes the name. Errors: REGISTRATION_CLOSED unless registration
// is open, INVALID_REQUEST, EMAIL_TAKEN, TOO_MANY_ATTEMPTS. EMAIL_TAKEN reveals which
// e-mail addresses are in use, so every attempt counts against the rate limit.
func (s *Service) Register(ctx context.Context, req SignInRequest, name string) (access.SignIn, error) {
	if err := s.checkPasswordUsers(); err != nil {
		return access.SignIn{}, err
	}
	switch s.registration {
	case RegistrationClosed:
		return access.SignIn{}, registrationError("this installation does not accept new accounts; ask the operator for an invite to an existing account")
	case RegistrationInvite:
		return access.SignIn{}, registrationError("registration is by invitation only; ask the operator for an invite")
	}
	if err := s.throttle.CountNewAccount(signinguard.ClientAddress(req.Client)); err != nil {
		return access.SignIn{}, err
	}
	u, err := s.newUser(ctx, signinguard.Requester{Name: signinguard.ClientAddress(req.Client)}, req, access.Owner)
	if err != nil {
		return access.SignIn{}, err
	}
	var in access.SignIn
	err = s.write(ctx, func(tx Tx) (err error) {
		in, err = s.createAccount(ctx, tx, u, name, req.Client)
		return err
	})
	return s.rememberSignIn(in, req.Client, err)
}

// rememberSignIn marks the user's address as known to the throttle, if err is nil.
func (s *Service) rememberSignIn(in access.SignIn, client string, err error) (access.SignIn, error) {
	if err != nil {
		return access.SignIn{}, err
	}
	s.throttle.RememberPair(in.Identity.User.Email, signinguard.ClientAddress(client))
	return in, nil
}

// runWithToken runs f, which redeems the one-time token of a link. Without a password, f
// only checks the link and redeems nothing, so the attempt does not count as a guess.
func (s *Service) runWithToken(password, client string, f func(r signinguard.Requester) error) error {
	address := signinguard.ClientAddress(client)
	if password != "" {
		return s.throttle.RunGuess("", address, f)
	}
	if err := s.throttle.CountLinkCheck(address); err != nil {
		return err
	}
	return f(signinguard.Requester{Name: address})
}

// Login signs a user in. Errors: LOGIN_FAILED, TOO_MANY_ATTEMPTS. LOGIN_FAILED does not
// reveal whether the e-mail or the password is wrong. Both cases take about the same time.
func (s *Service) Login(ctx context.Context, req SignInRequest) (access.SignIn, error) {
	email, err := setting.NormalizeEmail(req.Email)
	if err != nil {
		return access.SignIn{}, err
	}
	var u access.User
	err = s.throttle.RunGuess(email, signinguard.ClientAddress(req.Client), func(r signinguard.Requester) (err error) {
		u, err = s.verifyLogin(ctx, r, email, req.Password)
		return err
	})
	if err != nil {
		return access.SignIn{}, err
	}
	var in access.SignIn
	err = s.write(ctx, func(tx Tx) error {
		a, err := s.recheckUser(ctx, tx, u)
		if err != nil {
			return err
		}
		in, err = signIn(ctx, tx, a, u, req.Client)
		return err
	})
	return in, err
}

// recheckUser returns LOGIN_FAILED if the user may not use a password, or if the user was
// removed or the password was changed while the password was compared.
func (s *Service) recheckUser(ctx context.Context, tx access.MemberReader, u access.User) (access.Account, error) {
	latest, err := tx.User(ctx, u.AccountID, u.ID)
	if errors.Is(err, access.ErrNoRow) || err == nil && latest.PasswordHash != u.PasswordHash {
		return access.Account{}, loginFailedError()
	}
	if err != nil {
		return access.Account{}, err
	}
	a, err := tx.Account(ctx, u.AccountID)
	if err == nil && !s.allowsPassword(a, latest) {
		return access.Account{}, loginFailedError()
	}
	return a, err
}

func loginFailedError() error { return apperr.New(apperr.LoginFailed, "e-mail or password is wrong") }

func (s *Service) verifyLogin(ctx context.Context, r signinguard.Requester, email, password string) (access.User, error) {
	if len(password) > setting.MaxPasswordBytes {
		return access.User{}, loginFailedError()
	}
	u, err := s.store.UserByEmail(ctx, email)
	if err != nil && !errors.Is(err, access.ErrNoRow) {
		return access.User{}, access.WrapStore(err)
	}
	// Without a stored password, compare with a dummy hash. Otherwise the short time
	// would reveal that the user is unknown or has a pending reset.
	known := err == nil && u.PasswordHash != ""
	ok, err := s.hasher.Matches(ctx, r, cmp.Or(u.PasswordHash, s.hasher.Dummy), password)
	if err != nil {
		return access.User{}, err
	}
	if !known || !ok {
		return access.User{}, loginFailedError()
	}
	return u, nil
}

// newUser validates the input and hashes the password. Hashing is slow, so newUser must
// not run inside a transaction. The caller sets the AccountID of the user.
func (s *Service) newUser(ctx context.Context, r signinguard.Requester, req SignInRequest, role access.Role) (access.User, error) {
	email, err := setting.NormalizeEmail(req.Email)
	if err != nil {
		return access.User{}, err
	}
	if err := setting.ValidatePassword(req.Password); err != nil {
		return access.User{}, err
	}
	hash, err := s.hasher.Hash(ctx, r, req.Password)
	if err != nil {
		return access.User{}, err
	}
	return access.User{ID: access.NewID(), Email: email, Role: role, PasswordHash: hash, CreatedAt: access.Now()}, nil
}

// signInWriter creates an account or a user, and signs the user in.
type signInWriter interface {
	access.AccountWriter
	access.UserWriter
	access.SessionWriter
	audit.Writer
}

// createAccount creates an account with the default budget for a new owner.
func (s *Service) createAccount(ctx context.Context, tx signInWriter, owner access.User, name, client string) (access.SignIn, error) {
	name = cmp.Or(name, owner.Email)
	a := access.Account{ID: access.NewID(), Name: name, CreatedAt: access.Now(), Limits: setting.Limits{NanoUSDPerMonth: s.defaultBudget}}
	if err := a.Validate(); err != nil {
		return access.SignIn{}, err
	}
	if err := tx.SaveAccount(ctx, a); err != nil {
		return access.SignIn{}, err
	}
	return addUserAndSignIn(ctx, tx, a, owner, actionAccountCreate, a.ID, client)
}

// actionAccountCreate is the audit action of a new account.
const actionAccountCreate = "account.create"

// addUserAndSignIn adds the user to the account and signs the user in. action and
// subject go to the audit log.
func addUserAndSignIn(ctx context.Context, tx signInWriter, a access.Account, u access.User, action, subject, client string) (access.SignIn, error) {
	u.AccountID = a.ID
	err := tx.SaveUser(ctx, u)
	if errors.Is(err, access.ErrEmailTaken) {
		return access.SignIn{}, apperr.New(apperr.EmailTaken, "this e-mail address is already in use").With("param", "email")
	}
	if err != nil {
		return access.SignIn{}, err
	}
	after := u.AuditFields()
	after["name"] = a.Name
	if action == actionAccountCreate {
		a.Limits.AddTo(after)
	}
	if err := access.RecordEvent(ctx, tx, access.Actor{AccountID: a.ID, UserID: u.ID}, action, subject, nil, after); err != nil {
		return access.SignIn{}, err
	}
	return signIn(ctx, tx, a, u, client)
}

func registrationError(message string) error {
	return apperr.New(apperr.RegistrationOff, message)
}

// signIn creates a session of a password. It runs in the transaction that created or
// checked the user.
func signIn(ctx context.Context, tx access.SessionWriter, a access.Account, u access.User, client string) (access.SignIn, error) {
	return access.OpenSession(ctx, tx, a, u, access.Session{Client: client})
}
