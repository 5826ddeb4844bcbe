package signon

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Issuer is an OpenID Connect issuer of the sign-on file.
type Issuer struct {
	// Name is part of the callback URL: PUBLIC_URL/login/sso/NAME/callback.
	Name string `yaml:"name"`
	// Label is the text of the button; empty means the name.
	Label string `yaml:"label"`
	// Issuer is the URL of the issuer, exactly as in its discovery document.
	Issuer   string `yaml:"issuer"`
	ClientID string `yaml:"client_id"`
	// ClientSecret is a reference, env:NAME or file:PATH; empty for a public client.
	ClientSecret string `yaml:"client_secret"`
	// Account is the id of the account that the people of the issuer join, or "operator".
	Account string `yaml:"account"`
	// Scopes are requested in addition to openid and email.
	Scopes []string `yaml:"scopes"`
	// GroupsClaim is the claim that lists the groups; empty means "groups".
	GroupsClaim string `yaml:"groups_claim"`
	// Roles maps the roles viewer, member and owner to groups. The highest role counts.
	Roles map[string][]string `yaml:"roles"`
	// DefaultRole is the role of people without a listed group; empty refuses them.
	DefaultRole string `yaml:"default_role"`

	secret string
}

var (
	issuerName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)
	// roleNames are the roles from the highest to the lowest.
	roleNames = []string{"owner", "member", "viewer"}
)

// Load reads the sign-on file. lookup returns the value of an environment variable.
func Load(path string, lookup func(string) (string, bool)) ([]Issuer, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Issuers []Issuer `yaml:"issuers"`
	}
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(file.Issuers) == 0 {
		return nil, fmt.Errorf("%s: issuers lists no issuer", path)
	}
	var names, urls []string
	for i := range file.Issuers {
		one := &file.Issuers[i]
		if err := one.prepare(lookup); err != nil {
			return nil, fmt.Errorf("%s: issuer %q: %w", path, one.Name, err)
		}
		if slices.Contains(names, one.Name) || slices.Contains(urls, one.Issuer) {
			return nil, fmt.Errorf("%s: issuer %q: the name or the URL is listed twice", path, one.Name)
		}
		names, urls = append(names, one.Name), append(urls, one.Issuer)
	}
	return file.Issuers, nil
}

// prepare checks the settings, sets defaults and reads the secret.
func (i *Issuer) prepare(lookup func(string) (string, bool)) (err error) {
	if i.Label == "" {
		i.Label = i.Name
	}
	if i.GroupsClaim == "" {
		i.GroupsClaim = "groups"
	}
	switch {
	case !issuerName.MatchString(i.Name):
		return errors.New("name must have 1 to 32 of a-z, 0-9 and -")
	case i.ClientID == "":
		return errors.New("client_id is missing")
	case i.Account == "":
		return errors.New(`account is missing: set the id of the account, or "operator"`)
	case len(i.Roles) == 0 && i.DefaultRole == "":
		return errors.New("set roles or default_role; otherwise no person has a role")
	case i.DefaultRole != "" && !slices.Contains(roleNames, i.DefaultRole):
		return errors.New("default_role must be viewer, member or owner")
	}
	for role := range i.Roles {
		if !slices.Contains(roleNames, role) {
			return fmt.Errorf("roles: %q is not a role; use viewer, member and owner", role)
		}
	}
	if err := checkIssuerURL(i.Issuer); err != nil {
		return err
	}
	i.secret, err = resolveSecret(i.ClientSecret, lookup)
	return err
}

// checkIssuerURL demands TLS, except for an issuer on this machine.
func checkIssuerURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return errors.New("issuer must be a URL such as https://login.example.com")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !isLoopbackURL(text)) {
		return errors.New("issuer must start with https://")
	}
	return nil
}

func resolveSecret(ref string, lookup func(string) (string, bool)) (string, error) {
	if ref == "" {
		return "", nil
	}
	if name, ok := strings.CutPrefix(ref, "env:"); ok {
		value, found := lookup(name)
		if !found || value == "" {
			return "", fmt.Errorf("client_secret: the environment variable %s is not set", name)
		}
		return value, nil
	}
	path, ok := strings.CutPrefix(ref, "file:")
	if !ok {
		return "", errors.New("client_secret must be a reference, env:NAME or file:PATH")
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("client_secret: %w", err)
	}
	secret := strings.TrimSpace(string(raw))
	if secret == "" {
		return "", fmt.Errorf("client_secret: the file %s is empty", path)
	}
	return secret, nil
}

// roleOf returns the highest role that the groups give; empty if they give none.
func (i *Issuer) roleOf(groups []string) string {
	for _, role := range roleNames {
		if slices.ContainsFunc(i.Roles[role], func(g string) bool { return slices.Contains(groups, g) }) {
			return role
		}
	}
	return i.DefaultRole
}
