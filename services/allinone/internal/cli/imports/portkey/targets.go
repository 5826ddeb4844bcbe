package portkey

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/services/allinone/internal/cli/imports/draft"
)

// providerIDs maps Portkey's names of providers to those of our catalog. Other names are
// tried as they are.
var providerIDs = map[string]string{
	"azure-openai": "azure", "together-ai": "together", "fireworks-ai": "fireworks", "perplexity-ai": "perplexity",
	"mistral-ai": "mistral", "x-ai": "xai", "vllm": "vllm", "lmstudio": "lmstudio", "zhipu": "zai",
}

// addModel adds the model of a target without inner targets and returns its name. It
// returns "" if the target has no model or if its provider is not supported.
func (c converter) addModel(t target) string {
	c.noteParts(t)
	t = t.splitModel()
	id, ok := c.resolveProvider(t)
	if !ok {
		id, ok = c.providerOfModel(t)
	}
	if !ok {
		c.Note("target %s: the provider %q is not supported, so the target is left out", t.label(), t.Provider)
		return ""
	}
	provider := c.AddProvider(id, c.newProvider(t, id))
	upstream := t.model()
	if upstream == "" {
		c.Note("target %s passes on the model of the client: clients can request every catalog model of %s by name", t.label(), provider)
		return ""
	}
	return c.nameModel(provider, upstream)
}

// nameModel returns the name of a model at a provider. A model of the catalog keeps its
// name, so that clients can request it too.
func (c converter) nameModel(provider, upstream string) string {
	endpoint := draft.Endpoint{Provider: provider, Model: upstream}
	for _, m := range c.Models {
		if len(m.Value.Endpoints) == 0 && m.Name == upstream || slices.Contains(m.Value.Endpoints, endpoint) {
			return m.Name
		}
	}
	entry, _, known := c.Catalog().FindEndpoint(provider, upstream)
	if known && c.Models.Find(entry.ID) == nil {
		return c.Models.Add(entry.ID, draft.Model{Endpoints: []draft.Endpoint{endpoint}})
	}
	m := draft.Model{Endpoints: []draft.Endpoint{endpoint}}
	if entry, ok := c.Catalog().FindByName(upstream); ok && !known {
		m.Like = entry.ID
	}
	return c.Models.Add(draft.CleanName(upstream+"/"+provider, "._-:/@"), m)
}

// resolveProvider returns the catalog's name of the provider, or a name for a server of its
// own.
func (c converter) resolveProvider(t target) (id string, ok bool) {
	id = strings.TrimPrefix(t.Provider, "@")
	if mapped := providerIDs[id]; mapped != "" {
		id = mapped
	}
	if id == "" {
		id = c.guessProvider(t.VirtualKey)
	}
	if t.Host != "" && id != "anthropic" && id != "google" {
		if u, err := url.Parse(t.Host); err == nil && u.Hostname() != "" {
			return draft.CleanName(u.Hostname(), "._-"), true
		}
	}
	if _, known := c.Catalog().Provider(id); !known {
		id = c.guessProvider(id)
	}
	_, ok = c.Catalog().Provider(id)
	return id, ok && (id != "azure" || t.AzureResource != "")
}

// providerOfModel returns the provider that the catalog lists first for the model of a target whose
// provider is unknown, because names of virtual keys and integrations are free.
func (c converter) providerOfModel(t target) (id string, ok bool) {
	entry, ok := c.Catalog().FindByName(t.model())
	if !ok || t.namesOtherVendor() {
		return "", false
	}
	id = entry.Endpoints[0].Provider
	c.Note("target %s: the config does not say which provider it uses; the policy uses %s for %s", t.label(), id, t.model())
	return id, id != "azure"
}

// namesOtherVendor reports whether the target names a vendor of Portkey's list, which is not in ours.
func (t target) namesOtherVendor() bool {
	return t.Provider != "" && !strings.HasPrefix(t.Provider, "@")
}

// splitModel splits a model such as @openai-prod/gpt-4o. Its first part names the integration, in
// place of provider and virtual_key.
func (t target) splitModel() target {
	slug, name, ok := strings.Cut(t.model(), "/")
	if !ok || !strings.HasPrefix(slug, "@") {
		return t
	}
	if t.Name == "" {
		t.Name = t.model()
	}
	t.Override = maps.Clone(t.Override)
	t.Override["model"] = name
	t.Provider, t.VirtualKey = slug, ""
	return t
}

// guessProvider returns the provider whose name begins a virtual key or the name of an
// integration, such as openai-prod-1a2b3c.
func (c converter) guessProvider(key string) string {
	plain := strings.ReplaceAll(key, "open-ai", "openai")
	for _, name := range slices.Sorted(maps.Keys(providerIDs)) {
		if strings.HasPrefix(plain, name) {
			return providerIDs[name]
		}
	}
	for _, p := range c.Catalog().Providers() {
		if strings.HasPrefix(plain, p.ID) {
			return p.ID
		}
	}
	return key
}

func (c converter) newProvider(t target, id string) draft.Provider {
	p := draft.Provider{BaseURL: c.CleanURL(t.Host), Timeouts: t.timeouts()}
	known, ok := c.Catalog().Provider(id)
	switch {
	case !ok:
		p.Kind = "openai"
	case id == "azure":
		p.BaseURL = fmt.Sprintf("https://%s.openai.azure.com/openai/v1", t.AzureResource)
	}
	env := known.CredentialEnv
	if label := strings.TrimPrefix(t.Provider, "@"); strings.HasPrefix(t.Provider, "@") && label != id {
		env = draft.EnvName(label)
	}
	if t.VirtualKey != "" {
		env = draft.EnvName(t.VirtualKey)
	}
	if env == "" && t.APIKey != "" {
		env = draft.EnvName(id)
	}
	if env == "" {
		return p
	}
	if env != known.CredentialEnv || t.APIKey != "" {
		c.Note("target %s: set %s to the provider's key; a policy never contains keys", t.label(), env)
	}
	p.Keys = []draft.Key{{Ref: "env:" + env}}
	return p
}

// model returns the model that a target sets.
func (t target) model() string {
	if name, ok := t.Override["model"].(string); ok {
		return name
	}
	return t.AzureDeploy
}

// noteParts notes the settings of a target that are not carried over.
func (c converter) noteParts(t target) {
	if len(t.Cache) > 0 {
		c.Note("cache is not carried over: responses are not cached; prompt caches of the providers are used")
	}
	if len(t.InputGuards) > 0 || len(t.OutputGuards) > 0 {
		c.Note("guardrails are not carried over")
	}
	for _, name := range slices.Sorted(maps.Keys(t.Override)) {
		if name != "model" {
			c.Note("target %s: override_params.%s is not carried over; clients set it themselves", t.label(), name)
		}
	}
}
