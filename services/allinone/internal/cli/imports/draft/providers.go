package draft

import (
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// AddProvider adds a provider and returns its name. id is its name in our catalog, or a name
// of its own with a kind. A provider that is already there with the same settings is used
// again. If only its key differs, the provider gets the second key. Settings that the
// catalog has too are left out.
func (p *Policy) AddProvider(id string, v Provider) string {
	if known, ok := p.catalog.Provider(id); ok {
		v.Kind = ""
		if strings.TrimRight(v.BaseURL, "/") == known.BaseURL {
			v.BaseURL = ""
		}
		v.AllowPrivate = isPrivate(known.BaseURL) && v.BaseURL == ""
		if v.BaseURL == "" && len(v.Keys) == 1 && v.Keys[0].Ref == "env:"+known.CredentialEnv {
			v.Keys = nil
		}
	}
	v.BaseURL = strings.TrimRight(v.BaseURL, "/")
	v.AllowPrivate = v.AllowPrivate || isPrivate(v.BaseURL)
	for i := range p.Providers {
		e := &p.Providers[i]
		if (e.Name == id || strings.HasPrefix(e.Name, id+"-")) && p.isSameProvider(id, e.Value, v) {
			e.Value.Keys = p.mergeKeys(id, e.Value, v)
			return e.Name
		}
	}
	if p.Providers.Find(id) != nil {
		v.Kind, v.BaseURL = p.explain(id, v)
		v.Keys = p.explainKeys(id, v)
	}
	return p.Providers.Add(id, v)
}

// explainKeys returns the keys of a second provider of the same vendor. The catalog supplies a key
// only to the provider with its own name.
func (p *Policy) explainKeys(id string, v Provider) []Key {
	known, _ := p.catalog.Provider(id)
	if len(v.Keys) > 0 || known.CredentialEnv == "" || v.BaseURL != known.BaseURL {
		return v.Keys
	}
	return []Key{{Ref: "env:" + known.CredentialEnv}}
}

// isSameProvider reports whether two providers differ in nothing but their keys.
func (p *Policy) isSameProvider(id string, have, want Provider) bool {
	full := want
	full.Kind, full.BaseURL = p.explain(id, want)
	have.Keys, want.Keys, full.Keys = nil, nil, nil
	return reflect.DeepEqual(have, want) || reflect.DeepEqual(have, full)
}

// mergeKeys returns the keys of both providers. No keys means the catalog's key.
func (p *Policy) mergeKeys(id string, have, want Provider) []Key {
	if slices.Equal(have.Keys, want.Keys) {
		return have.Keys
	}
	known, _ := p.catalog.Provider(id)
	var all []Key
	for _, keys := range [][]Key{have.Keys, want.Keys} {
		if len(keys) == 0 && known.CredentialEnv != "" {
			keys = []Key{{Ref: "env:" + known.CredentialEnv}}
		}
		all = append(all, slices.DeleteFunc(slices.Clone(keys), func(k Key) bool { return slices.Contains(all, k) })...)
	}
	return all
}

// explain returns the kind and the address of a provider. A second provider of the same
// vendor has another name, so the catalog does not supply them.
func (p *Policy) explain(id string, v Provider) (kind, baseURL string) {
	kind, baseURL = v.Kind, v.BaseURL
	if known, ok := p.catalog.Provider(id); ok {
		if kind == "" {
			kind = known.Kind
		}
		if baseURL == "" {
			baseURL = known.BaseURL
		}
	}
	return kind, baseURL
}

// isPrivate reports whether an address is local or private, which the policy must allow.
func isPrivate(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	if u.Hostname() == "localhost" || strings.HasSuffix(u.Hostname(), ".localhost") {
		return true
	}
	a, err := netip.ParseAddr(u.Hostname())
	return err == nil && (a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsUnspecified())
}

// CleanURL returns an address without user, query and fragment, which a policy does not allow
// and which may contain credentials. It notes what is missing, without the value.
func (p *Policy) CleanURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		p.Note("an address is left out, because it is not a URL")
		return ""
	}
	clean := url.URL{Scheme: u.Scheme, Opaque: u.Opaque, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		p.Note("the address of %s is written without user, query and fragment; put a credential into a variable", u.Host)
	}
	return clean.String()
}

// OwnSecrets returns the references that a published policy may use only if the operator
// allows it: all but the catalog's variables at the catalog's addresses.
func (p *Policy) OwnSecrets() (refs []string) {
	for _, e := range p.Providers {
		for _, k := range e.Value.Keys {
			if !p.isCatalogSecret(e.Name, e.Value.BaseURL, k.Ref) {
				refs = append(refs, k.Ref)
			}
		}
	}
	return Unique(refs)
}

// isCatalogSecret reports whether the catalog names the variable for the address. A provider of the
// catalog may leave its address out.
func (p *Policy) isCatalogSecret(name, baseURL, ref string) bool {
	return slices.ContainsFunc(p.catalog.Providers(), func(known catalog.Provider) bool {
		atHome := baseURL == known.BaseURL || baseURL == "" && name == known.ID
		return atHome && known.CredentialEnv != "" && ref == "env:"+known.CredentialEnv
	})
}

// EnvName returns a name for an environment variable, such as MY_VENDOR_API_KEY.
func EnvName(name string) string {
	clean := strings.ToUpper(strings.ReplaceAll(CleanName(name, "_"), "-", "_"))
	if clean == "" || clean[0] >= '0' && clean[0] <= '9' {
		clean = "KEY_" + clean
	}
	return strings.TrimSuffix(clean, "_API_KEY") + "_API_KEY"
}
