// Package signon signs people in with OpenID Connect: the authorization code flow with
// PKCE. Load reads the issuers, and Manager runs the two steps of a sign-on. Start
// sends the browser to the issuer. Finish checks what the issuer sent back and returns the
// person. keyauth then creates the user and the session.
//
// State, nonce and PKCE verifier travel in a sealed cookie of the browser, so the package
// stores nothing about a sign-on but the states that were used.
package signon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// PathPrefix starts the paths of the sign-on. The name of the issuer follows.
const PathPrefix = "/login/sso/"

// issuerTimeout limits each step that calls the issuer.
const issuerTimeout = 10 * time.Second

// Manager runs sign-ons. It is safe for concurrent use.
type Manager struct {
	providers []*provider
	secure    bool
	used      usedStates
	log       *slog.Logger
}

// New returns a Manager. public is the origin that browsers use.
func New(issuers []Issuer, public *url.URL, log *slog.Logger) (*Manager, error) {
	if public == nil {
		return nil, errors.New("--oidc-file needs --public-url, because the issuer redirects browsers to it")
	}
	m := &Manager{secure: public.Scheme == "https", log: log}
	for _, i := range issuers {
		p, err := newProvider(i, public)
		if err != nil {
			return nil, fmt.Errorf("issuer %q: %w", i.Name, err)
		}
		m.providers = append(m.providers, p)
	}
	return m, nil
}

// Button is a link on the sign-in page.
type Button struct{ Label, Path string }

// Buttons lists the issuers. A nil Manager has none.
func (m *Manager) Buttons() (all []Button) {
	if m == nil {
		return nil
	}
	for _, p := range m.providers {
		all = append(all, Button{p.Label, PathPrefix + p.Name})
	}
	return all
}

// Origins lists the origins of the issuers.
func (m *Manager) Origins() (all []string) {
	if m == nil {
		return nil
	}
	for _, p := range m.providers {
		all = append(all, originOf(p.Issuer.Issuer))
	}
	return all
}

func (m *Manager) find(name string) (*provider, error) {
	if m != nil {
		for _, p := range m.providers {
			if p.Name == name {
				return p, nil
			}
		}
	}
	return nil, apperr.New(apperr.NotFound, "no such sign-on")
}

// Start returns the address of the issuer to which the browser must go, and sets the cookie
// of the sign-on. next is the page to open afterwards. The error is CROSS_ORIGIN_REFUSED if
// another site sent the browser here.
func (m *Manager) Start(w http.ResponseWriter, r *http.Request, name, next string) (string, error) {
	p, err := m.find(name)
	if err != nil {
		return "", err
	}
	if err := checkSite(r); err != nil {
		return "", err
	}
	remote, err := p.connect(r.Context())
	if err != nil {
		return "", m.refuse(r, p, "the sign-on service cannot be reached; try again later", err)
	}
	a := newAttempt(p.Name, next)
	a.OwnClick = p.isOwnClick(r)
	sealed, err := p.seal(a)
	if err != nil {
		return "", err
	}
	m.setCookie(w, sealed)
	return remote.oauth.AuthCodeURL(a.State, oauth2.S256ChallengeOption(a.Verifier), oauth2.SetAuthURLParam("nonce", a.Nonce)), nil
}

// Person is a person whom an issuer has identified.
type Person struct {
	Issuer, Subject, Email string
	EmailVerified          bool
	// Role is the name of the role that the groups give; empty means none.
	Role string
	// Account is the id of the account that the person joins, or "operator".
	Account string
	// Next is the page to open.
	Next string
	// OwnClick is true if the person started the sign-on on a page of the dashboard.
	OwnClick bool
}

// Finish checks the response of the issuer and returns the person. It clears the cookie of
// the sign-on. The error LOGIN_FAILED tells the person nothing about the check that failed;
// the log does.
func (m *Manager) Finish(w http.ResponseWriter, r *http.Request, name string) (Person, error) {
	p, err := m.find(name)
	if err != nil {
		return Person{}, err
	}
	a, err := m.takeAttempt(w, r, p)
	if err != nil {
		return Person{}, m.refuse(r, p, "this sign-on has expired or was started in another browser; start it again", err)
	}
	remote, err := p.connect(r.Context())
	if err != nil {
		return Person{}, m.refuse(r, p, "the sign-on service cannot be reached; try again later", err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), issuerTimeout)
	defer cancel()
	person, err := remote.identify(ctx, r.URL.Query(), a)
	if err != nil {
		return Person{}, m.refuse(r, p, "the sign-on failed; start it again or ask the operator", err)
	}
	person.Account, person.Next, person.OwnClick = p.Account, a.Next, a.OwnClick
	return person, nil
}

// refuse logs the cause and returns LOGIN_FAILED. The cause never contains codes or tokens.
func (m *Manager) refuse(r *http.Request, p *provider, message string, cause error) error {
	m.log.WarnContext(r.Context(), "sign-on refused", "issuer", p.Name, "cause", describe(cause))
	return apperr.New(apperr.LoginFailed, message)
}

// maxCauseLength limits the text of an issuer in the log, in characters.
const maxCauseLength = 200

// describe returns the start of the text of an error. The error of a token request contains
// the whole response of the issuer, so only its code is used.
func describe(err error) string {
	text := err.Error()
	var failed *oauth2.RetrieveError
	if errors.As(err, &failed) {
		text = "the issuer refused the code: " + failed.ErrorCode
	}
	return fmt.Sprintf("%.*s", maxCauseLength, text)
}

// LogoutURL returns the address that ends the session at the issuer, or "" if the issuer
// has none. issuer is the URL of the issuer. LogoutURL never calls the issuer: without a
// sign-on since the start of the dashboard, the address is not known.
func (m *Manager) LogoutURL(issuer string) string {
	if m == nil || issuer == "" {
		return ""
	}
	for _, p := range m.providers {
		if p.Issuer.Issuer != issuer {
			continue
		}
		if remote := p.connected.Load(); remote != nil {
			return remote.logoutURL()
		}
	}
	return ""
}

func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
