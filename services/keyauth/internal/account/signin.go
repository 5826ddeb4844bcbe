package account

import (
	"cmp"
	"context"
	"errors"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Person is what somebody gives to become a user.
type Person struct {
	Email    string
	Password string
	// Client is the browser and, as the last word, the address. It is shown
	// with the session, and the address is throttled.
	Client string
}

// Register makes an account with its owner and signs the owner in. An empty
// name means the e-mail. Errors: REGISTRATION_CLOSED unless registration is
// open, EMAIL_TAKEN, TOO_MANY_ATTEMPTS. There is no hiding that an e-mail is
// taken from somebody who is signed in at once if it is not; so asking is
// counted, whatever the answer.
func (s *Service) Register(ctx context.Context, p Person, name string) (SignIn, error) {
	if s.registration != RegistrationOpen {
		return SignIn{}, registrationOff("registration is by invitation here; ask the operator")
	}
	if err := s.throttle.newAccount(addressOf(p.Client)); err != nil {
		return SignIn{}, err
	}
	u, err := s.newUser(ctx, lane{name: addressOf(p.Client)}, p, Owner)
	if err != nil {
		return SignIn{}, err
	}
	var in SignIn
	err = s.write(ctx, func(tx Tx) (err error) {
		in, err = s.foundAccount(ctx, tx, u, name, p.Client)
		return err
	})
	return s.cameIn(in, p.Client, err)
}

// cameIn remembers from where somebody has signed in for the first time, if
// they have.
func (s *Service) cameIn(in SignIn, client string, err error) (SignIn, error) {
	if err != nil {
		return SignIn{}, err
	}
	s.throttle.know(in.Identity.User.Email, addressOf(client))
	return in, nil
}

// Login signs a user in. Errors: LOGIN_FAILED, which tells a wrong e-mail and
// a wrong password apart neither by answer nor by time; TOO_MANY_ATTEMPTS.
func (s *Service) Login(ctx context.Context, p Person) (SignIn, error) {
	email, err := normalEmail(p.Email)
	if err != nil {
		return SignIn{}, err
	}
	var u User
	err = s.throttle.guess(email, addressOf(p.Client), func(l lane) (err error) {
		u, err = s.checkLogin(ctx, l, email, p.Password)
		return err
	})
	if err != nil {
		return SignIn{}, err
	}
	var in SignIn
	err = s.write(ctx, func(tx Tx) error {
		a, err := s.stillThere(ctx, tx, u)
		if err != nil {
			return err
		}
		in, err = signIn(ctx, tx, a, u, p.Client)
		return err
	})
	return in, err
}

// stillThere is asked when the password was right: it, or the user, may have
// gone while it was being compared.
func (s *Service) stillThere(ctx context.Context, tx Tx, u User) (Account, error) {
	still, err := tx.User(ctx, u.AccountID, u.ID)
	if errors.Is(err, ErrNone) || err == nil && still.PasswordHash != u.PasswordHash {
		return Account{}, loginFailed()
	}
	if err != nil {
		return Account{}, err
	}
	return tx.Account(ctx, u.AccountID)
}

func loginFailed() error { return apperr.New(apperr.LoginFailed, "e-mail or password is wrong") }

func (s *Service) checkLogin(ctx context.Context, l lane, email, password string) (User, error) {
	if len(password) > maxPassword {
		return User{}, loginFailed()
	}
	u, err := s.store.UserByEmail(ctx, email)
	if err != nil && !errors.Is(err, ErrNone) {
		return User{}, storeError(err)
	}
	// Who does not exist, or waits for a reset, takes as long as everybody.
	known := err == nil && u.PasswordHash != ""
	ok, err := s.hasher.matches(ctx, l, cmp.Or(u.PasswordHash, s.hasher.dummy), password)
	if err != nil {
		return User{}, err
	}
	if !known || !ok {
		return User{}, loginFailed()
	}
	return u, nil
}

// newUser checks what a person gave and hashes the password, which takes long
// and so never happens inside a transaction. The account is set later.
func (s *Service) newUser(ctx context.Context, l lane, p Person, role Role) (User, error) {
	email, err := normalEmail(p.Email)
	if err != nil {
		return User{}, err
	}
	if err := checkPassword(p.Password); err != nil {
		return User{}, err
	}
	hash, err := s.hasher.hash(ctx, l, p.Password)
	if err != nil {
		return User{}, err
	}
	return User{ID: newID(), Email: email, Role: role, PasswordHash: hash, CreatedAt: now()}, nil
}

// foundAccount makes an account of its own for a new owner, with the budget
// that new accounts start with.
func (s *Service) foundAccount(ctx context.Context, tx Tx, owner User, name, client string) (SignIn, error) {
	if name == "" {
		name = owner.Email
	}
	a := Account{ID: newID(), Name: name, CreatedAt: now(), Limits: Limits{NanoUSDPerMonth: s.defaultBudget}}
	if err := a.check(); err != nil {
		return SignIn{}, err
	}
	if err := tx.SaveAccount(ctx, a); err != nil {
		return SignIn{}, err
	}
	return join(ctx, tx, a, owner, accountMade, a.ID, client)
}

// accountMade is the action of an account that begins.
const accountMade = "account.create"

// join makes the user one of the account and signs in; the action and its
// subject are for the audit trail.
func join(ctx context.Context, tx Tx, a Account, u User, action, subject, client string) (SignIn, error) {
	u.AccountID = a.ID
	err := tx.SaveUser(ctx, u)
	if errors.Is(err, ErrEmailTaken) {
		return SignIn{}, apperr.New(apperr.EmailTaken, "this e-mail is in use").With("param", "email")
	}
	if err != nil {
		return SignIn{}, err
	}
	after := u.members()
	after["name"] = a.Name
	if action == accountMade {
		a.Limits.addTo(after)
	}
	if err := note(ctx, tx, Actor{AccountID: a.ID, UserID: u.ID}, action, subject, nil, after); err != nil {
		return SignIn{}, err
	}
	return signIn(ctx, tx, a, u, client)
}

func registrationOff(message string) error {
	return apperr.New(apperr.RegistrationOff, message)
}
