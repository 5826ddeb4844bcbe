// Package idp is an OpenID Connect identity provider for tests. It serves discovery, keys,
// authorization, tokens and logout over HTTP, checks PKCE and redeems each code once.
// Every visitor of its authorization page is the current Person.
//
// Forge replaces the ID token of the next responses, so that a test can send every hostile
// token that an attacker could.
package idp

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

// The client that the provider knows.
const (
	ClientID     = "signalbox"
	ClientSecret = "the secret of the client"
)

// Person is who signs in.
type Person struct {
	Subject, Email string
	Groups         []string
}

// Claims are the claims of an ID token.
type Claims = map[string]any

// Provider is the identity provider.
type Provider struct {
	// URL is the issuer.
	URL string

	t      *testing.T
	key    *rsa.PrivateKey
	mu     sync.Mutex
	person Person
	codes  map[string]code
	forge  func(Claims) string
	last   string
	ended  []url.Values
}

// code is an authorization code that was not redeemed yet.
type code struct{ nonce, challenge, redirect string }

// Start starts a provider. It stops when the test ends.
func Start(t *testing.T) *Provider {
	t.Helper()
	key := borrowKey(t)
	p := &Provider{t: t, key: key, codes: map[string]code{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /logout", p.logout)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// SetPerson says who signs in next.
func (p *Provider) SetPerson(person Person) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.person = person
}

// Forge makes the token endpoint send what forge returns instead of the signed claims; nil
// ends this.
func (p *Provider) Forge(forge func(Claims) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forge = forge
}

// LastToken returns the last ID token that was sent.
func (p *Provider) LastToken() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// Logouts returns the queries of all calls that ended a session here.
func (p *Provider) Logouts() []url.Values {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
		"jwks_uri": p.URL + "/keys", "end_session_endpoint": p.URL + "/logout",
		// A careless or hostile provider claims to support weak algorithms.
		"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
	})
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	public := p.key.PublicKey
	writeJSON(w, map[string]any{"keys": []any{map[string]string{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "one",
		"n": encode(public.N.Bytes()), "e": encode(big.NewInt(int64(public.E)).Bytes()),
	}}})
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" {
		http.Error(w, "invalid request", http.StatusBadRequest)
		return
	}
	text := rand.Text()
	p.mu.Lock()
	p.codes[text] = code{q.Get("nonce"), q.Get("code_challenge"), q.Get("redirect_uri")}
	p.mu.Unlock()
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {text}, "state": {q.Get("state")}}.Encode(), http.StatusSeeOther)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, secret, _ := r.BasicAuth()
	if id == "" {
		id, secret = r.FormValue("client_id"), r.FormValue("client_secret")
	} else if plain, err := url.QueryUnescape(secret); err == nil {
		secret = plain
	}
	c, known := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	verifier := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !known || id != ClientID || secret != ClientSecret || encode(verifier[:]) != c.challenge || r.FormValue("redirect_uri") != c.redirect {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	claims := p.claims(c.nonce)
	p.last = p.Sign(claims)
	if p.forge != nil {
		p.last = p.forge(claims)
	}
	writeJSON(w, map[string]any{"access_token": "access", "token_type": "Bearer", "expires_in": 300, "id_token": p.last})
}

func (p *Provider) claims(nonce string) Claims {
	now := time.Now()
	return Claims{
		"iss": p.URL, "sub": p.person.Subject, "aud": ClientID, "nonce": nonce, "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
		"email": p.person.Email, "email_verified": true, "groups": p.person.Groups,
	}
}

func (p *Provider) logout(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.ended = append(p.ended, r.URL.Query())
	p.mu.Unlock()
	http.Redirect(w, r, r.URL.Query().Get("post_logout_redirect_uri"), http.StatusSeeOther)
}

// With returns a copy of the claims with one of them changed; nil removes it.
func With(c Claims, name string, value any) Claims {
	c = maps.Clone(c)
	if c[name] = value; value == nil {
		delete(c, name)
	}
	return c
}

// Sign returns the claims as a token of the provider.
func (p *Provider) Sign(c Claims) string { return p.sign(p.key, c) }

// SignWithOtherKey returns the claims with the signature of another key and the same key id.
func (p *Provider) SignWithOtherKey(c Claims) string {
	return p.sign(borrowKey(p.t), c)
}

func (p *Provider) sign(key *rsa.PrivateKey, c Claims) string {
	text := unsigned(Claims{"alg": "RS256", "kid": "one", "typ": "JWT"}, c)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		p.t.Error(err)
	}
	return text + "." + encode(signature)
}

// Unsigned returns the claims with the algorithm none.
func Unsigned(c Claims) string { return unsigned(Claims{"alg": "none", "typ": "JWT"}, c) + "." }

// SignWithPublicKey signs the claims with HMAC and the provider's public key as the
// secret, which a verifier that trusts the header would accept.
func (p *Provider) SignWithPublicKey(c Claims) string {
	return signHMAC(x509.MarshalPKCS1PublicKey(&p.key.PublicKey), c)
}

// SignWithClientSecret signs the claims with HMAC and the secret of the client.
func (p *Provider) SignWithClientSecret(c Claims) string { return signHMAC([]byte(ClientSecret), c) }

func signHMAC(secret []byte, c Claims) string {
	text := unsigned(Claims{"alg": "HS256", "kid": "one", "typ": "JWT"}, c)
	mac := hmac.New(sha256.New, secret)
	_, _ = mac.Write([]byte(text))
	return text + "." + encode(mac.Sum(nil))
}

func unsigned(header, claims Claims) string {
	h, _ := json.Marshal(header)
	c, _ := json.Marshal(claims)
	return encode(h) + "." + encode(c)
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
