package signon

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// remoteIssuer is an issuer whose discovery document was read.
type remoteIssuer struct {
	config     *Issuer
	client     *http.Client
	verifier   *oidc.IDTokenVerifier
	oauth      *oauth2.Config
	endSession string
	public     *url.URL
}

// identify exchanges the code of the callback for an ID token and checks the token.
func (r *remoteIssuer) identify(ctx context.Context, query url.Values, a attempt) (Person, error) {
	if code := query.Get("error"); code != "" {
		return Person{}, fmt.Errorf("the issuer answered with the error %.40q", code)
	}
	// An issuer that names itself must be the one at which the sign-on began. Otherwise an
	// issuer could pass on the code of another one.
	if iss := query.Get("iss"); iss != "" && iss != r.config.Issuer {
		return Person{}, errors.New("the response is from another issuer")
	}
	ctx = oidc.ClientContext(ctx, r.client)
	tokens, err := r.oauth.Exchange(ctx, query.Get("code"), oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return Person{}, err
	}
	raw, ok := tokens.Extra("id_token").(string)
	if !ok {
		return Person{}, errors.New("the issuer sent no ID token")
	}
	token, err := r.verifier.Verify(ctx, raw)
	if err != nil {
		return Person{}, err
	}
	if err := r.checkToken(token, tokens.AccessToken, a.Nonce); err != nil {
		return Person{}, err
	}
	return r.readPerson(token)
}

// checkToken checks what the library leaves to its caller.
func (r *remoteIssuer) checkToken(token *oidc.IDToken, accessToken, nonce string) error {
	var claims struct {
		AuthorizedParty string `json:"azp"`
	}
	if err := token.Claims(&claims); err != nil {
		return err
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(nonce)) != 1:
		return errors.New("the nonce does not match")
	case claims.AuthorizedParty != "" && claims.AuthorizedParty != r.config.ClientID:
		return errors.New("the token was issued to another client")
	case len(token.Audience) > 1 && claims.AuthorizedParty == "":
		return errors.New("the token has several audiences and no authorized party")
	case token.IssuedAt.IsZero() || token.IssuedAt.After(time.Now().Add(clockSkew)):
		return errors.New("the token was issued in the future, or does not say when")
	}
	if token.AccessTokenHash == "" {
		return nil
	}
	return token.VerifyAccessToken(accessToken)
}

// readPerson reads the claims about the person.
func (r *remoteIssuer) readPerson(token *oidc.IDToken) (Person, error) {
	var all map[string]json.RawMessage
	if err := token.Claims(&all); err != nil {
		return Person{}, err
	}
	p := Person{Issuer: r.config.Issuer, Subject: token.Subject, Email: textClaim(all["email"])}
	verified, said := boolClaim(all["email_verified"])
	switch {
	case p.Subject == "":
		return Person{}, errors.New("the token has no subject")
	case p.Email == "":
		return Person{}, errors.New("the token has no e-mail address; request the scope email")
	case said && !verified:
		return Person{}, errors.New("the issuer has not verified the e-mail address")
	}
	p.EmailVerified = verified
	p.Role = r.config.roleOf(listClaim(all[r.config.GroupsClaim]))
	return p, nil
}

func textClaim(raw json.RawMessage) (text string) {
	_ = json.Unmarshal(raw, &text) // another type counts as missing
	return text
}

// boolClaim also accepts "true", which some issuers send. said is false if there is no
// such claim.
func boolClaim(raw json.RawMessage) (value, said bool) {
	if len(raw) == 0 {
		return false, false
	}
	if json.Unmarshal(raw, &value) == nil {
		return value, true
	}
	return textClaim(raw) == "true", true
}

// listClaim accepts a list or a single text.
func listClaim(raw json.RawMessage) (list []string) {
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	if one := textClaim(raw); one != "" {
		return []string{one}
	}
	return nil
}

// logoutURL returns the address that ends the session at the issuer; empty if there is
// none. Pages may send forms only to the origin of the issuer, so another one is ignored.
func (r *remoteIssuer) logoutURL() string {
	u, err := url.Parse(r.endSession)
	if r.endSession == "" || err != nil || originOf(r.endSession) != originOf(r.config.Issuer) {
		return ""
	}
	q := u.Query()
	q.Set("client_id", r.config.ClientID)
	q.Set("post_logout_redirect_uri", r.public.JoinPath("/login").String())
	u.RawQuery = q.Encode()
	return u.String()
}
