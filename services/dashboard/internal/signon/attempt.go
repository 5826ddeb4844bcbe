package signon

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

const (
	// attemptLifetime is how long a person may take to sign in at the issuer.
	attemptLifetime = 10 * time.Minute
	cookieName      = "signalbox_signon"
	hostPrefix      = "__Host-"
	// maxUsedStates bounds the memory of used states. Older states are forgotten first.
	maxUsedStates = 10_000
	// maxNextBytes limits the page to open afterwards. Browsers drop a cookie above 4,096 bytes.
	maxNextBytes = 1_500
)

// attempt is a sign-on that has begun. It is stored only in the browser's sealed cookie.
type attempt struct {
	Name     string    `json:"name"`
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	Next     string    `json:"next"`
	Expires  time.Time `json:"expires"`
	// OwnClick is true if the attempt may link the issuer to the signed-in user.
	OwnClick bool `json:"own_click"`
}

func newAttempt(name, next string) attempt {
	if len(next) > maxNextBytes {
		next = ""
	}
	return attempt{
		Name: name, State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Next: next,
		Expires: time.Now().Add(attemptLifetime),
	}
}

func (p *provider) seal(a attempt) (string, error) {
	raw, err := json.Marshal(a)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(p.sealer.Seal(p.Name, string(raw))), nil
}

func (p *provider) open(text string) (a attempt, err error) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(sealed) == 0 {
		return attempt{}, errors.New("the cookie of the sign-on is not valid")
	}
	raw, err := p.sealer.Open(p.Name, sealed)
	if err != nil {
		return attempt{}, errors.New("the cookie of the sign-on has another key")
	}
	return a, json.Unmarshal([]byte(raw), &a)
}

// takeAttempt returns the attempt that the browser began, and clears its cookie. It
// accepts each attempt once.
func (m *Manager) takeAttempt(w http.ResponseWriter, r *http.Request, p *provider) (attempt, error) {
	c, err := r.Cookie(m.cookieName())
	if err != nil {
		return attempt{}, errors.New("the browser has no cookie of a sign-on")
	}
	m.clearCookie(w)
	a, err := p.open(c.Value)
	if err != nil {
		return attempt{}, err
	}
	state := r.URL.Query().Get("state")
	switch {
	case a.Name != p.Name:
		return attempt{}, errors.New("the sign-on began at another issuer")
	case subtle.ConstantTimeCompare([]byte(a.State), []byte(state)) != 1:
		return attempt{}, errors.New("the state does not match")
	case !time.Now().Before(a.Expires):
		return attempt{}, errors.New("the sign-on took too long")
	case !m.used.add(a.State):
		return attempt{}, errors.New("the sign-on was finished already")
	}
	return a, nil
}

func (m *Manager) cookieName() string {
	if m.secure {
		return hostPrefix + cookieName
	}
	return cookieName
}

// setCookie uses SameSite=Lax: the browser must send the cookie when the issuer, another
// site, redirects to the callback.
func (m *Manager) setCookie(w http.ResponseWriter, value string) {
	http.SetCookie(w, &http.Cookie{
		Name: m.cookieName(), Value: value, Path: "/", MaxAge: int(attemptLifetime / time.Second),
		HttpOnly: true, Secure: m.secure, SameSite: http.SameSiteLaxMode,
	})
}

func (m *Manager) clearCookie(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{
		Name: m.cookieName(), Path: "/", MaxAge: -1, HttpOnly: true, Secure: m.secure, SameSite: http.SameSiteLaxMode,
	})
}

// usedStates remembers the states of finished sign-ons, so that a copied cookie cannot be
// used again in this process.
type usedStates struct {
	mu    sync.Mutex
	seen  map[string]bool
	order []string
}

// add reports whether the state was not used before.
func (u *usedStates) add(state string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.seen[state] {
		return false
	}
	if u.seen == nil {
		u.seen = map[string]bool{}
	}
	if len(u.order) >= maxUsedStates {
		delete(u.seen, u.order[0])
		u.order = u.order[1:]
	}
	u.seen[state], u.order = true, append(u.order, state)
	return true
}
