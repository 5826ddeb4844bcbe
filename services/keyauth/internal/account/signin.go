package account

import (
	"context"
	"errors"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Person is what somebody gives to become a user.
type Person struct {
	Email    string
	Password string
	// Client is the browser and the address, for display.
	Client string
}

// Register makes an account with its owner and signs the owner in. An empty
// name means the e-mail. Errors: REGISTRATION_CLOSED unless registration is
// open, EMAIL_TAKEN.
func (s *Service) Register(ctx context.Context, p Person, name string) (SignIn, error) {
	if s.registration != RegistrationOpen {
		return SignIn{}, registrationOff("registration is by invitation here; ask the operator")
	}
	u, err := s.newUser(ctx, p, Owner)
	if err != nil {
		return SignIn{}, err
	}
	var in SignIn
	err = s.write(ctx, func(tx Tx) (err error) {
		in, err = foundAccount(ctx, tx, u, name, p.Client)
		return err
	})
	return in, err
}

// Login signs a user in. Errors: LOGIN_FAILED, which tells a wrong e-mail and
// a wrong password apart neither by answer nor by time; TOO_MANY_ATTEMPTS.
func (s *Service) Login(ctx context.Context, p Person) (SignIn, error) {
	email, err := normalEmail(p.Email)
	if err != nil {
		return SignIn{}, err
	}
	if wait := s.throttle.take(email); wait > 0 {
		return SignIn{}, apperr.New(apperr.TooManyAttempts, "too many failed sign-ins for this e-mail").After(wait)
	}
	u, err := s.checkLogin(ctx, email, p.Password)
	if err != nil {
		return SignIn{}, err
	}
	s.throttle.forget(email)
	var in SignIn
	err = s.write(ctx, func(tx Tx) error {
		a, err := tx.Account(ctx, u.AccountID)
		if err != nil {
			return err
		}
		in, err = signIn(ctx, tx, a, u, p.Client)
		return err
	})
	return in, err
}

func (s *Service) checkLogin(ctx context.Context, email, password string) (User, error) {
	failed := apperr.New(apperr.LoginFailed, "e-mail or password is wrong")
	if len(password) > maxPassword {
		return User{}, failed
	}
	u, err := s.store.UserByEmail(ctx, email)
	known := err == nil
	if errors.Is(err, ErrNone) {
		u.PasswordHash = s.hasher.dummy
	} else if err != nil {
		return User{}, storeError(err)
	}
	ok, err := s.hasher.matches(ctx, u.PasswordHash, password)
	if err != nil {
		return User{}, err
	}
	if !known || !ok {
		return User{}, failed
	}
	return u, nil
}

// newUser checks what a person gave and hashes the password, which takes long
// and so never happens inside a transaction. The account is set later.
func (s *Service) newUser(ctx context.Context, p Person, role Role) (User, error) {
	email, err := normalEmail(p.Email)
	if err != nil {
		return User{}, err
	}
	if err := checkPassword(p.Password); err != nil {
		return User{}, err
	}
	hash, err := s.hasher.hash(ctx, p.Password)
	if err != nil {
		return User{}, err
	}
	return User{ID: newID(), Email: email, Role: role, PasswordHash: hash, CreatedAt: now()}, nil
}

// foundAccount makes an account of its own for a new owner.
func foundAccount(ctx context.Context, tx Tx, owner User, name, client string) (SignIn, error) {
	if name == "" {
		name = owner.Email
	}
	a := Account{ID: newID(), Name: name, CreatedAt: now()}
	if err := a.check(); err != nil {
		return SignIn{}, err
	}
	if err := tx.SaveAccount(ctx, a, because(owner.ID, "create_account")); err != nil {
		return SignIn{}, err
	}
	return join(ctx, tx, a, owner, client)
}

// join makes the user one of the account and signs in.
func join(ctx context.Context, tx Tx, a Account, u User, client string) (SignIn, error) {
	u.AccountID = a.ID
	err := tx.SaveUser(ctx, u)
	if errors.Is(err, ErrEmailTaken) {
		return SignIn{}, apperr.New(apperr.EmailTaken, "this e-mail is in use").With("param", "email")
	}
	if err != nil {
		return SignIn{}, err
	}
	return signIn(ctx, tx, a, u, client)
}

func registrationOff(message string) error {
	return apperr.New(apperr.RegistrationOff, message)
}
