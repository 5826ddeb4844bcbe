package litellm

import (
	"net/url"
	"strings"

	"github.com/signalbox/signalbox/services/allinone/internal/cli/imports/draft"
)

// providerIDs maps LiteLLM's prefixes of models to the names in our catalog.
var providerIDs = map[string]string{
	"openai": "openai", "text-completion-openai": "openai", "anthropic": "anthropic", "gemini": "google", "azure": "azure",
	"mistral": "mistral", "codestral": "mistral", "deepseek": "deepseek", "xai": "xai", "groq": "groq", "cerebras": "cerebras",
	"together_ai": "together", "fireworks_ai": "fireworks", "perplexity": "perplexity", "huggingface": "huggingface",
	"moonshot": "moonshot", "zai": "zai", "minimax": "minimax", "voyage": "voyage", "openrouter": "openrouter", "ollama": "ollama",
	"ollama_chat": "ollama", "hosted_vllm": "vllm", "vllm": "vllm", "lm_studio": "lmstudio", "llamafile": "llamacpp",
}

// compatible are prefixes of servers that speak OpenAI's format at an address of their own.
var compatible = map[string]bool{"custom_openai": true, "openai_like": true, "azure_ai": true, "litellm_proxy": true, "databricks": true, "nvidia_nim": true}

// resolve adds the provider of a deployment and returns its name and the model's name there.
// It returns false, with a note, if the provider is not supported.
func (c *converter) resolve(d deployment) (provider, upstream string, ok bool) {
	prefix, upstream := c.splitModel(d.Params.Model)
	id, known := providerIDs[prefix]
	base := strings.TrimRight(c.CleanURL(d.Params.APIBase+d.Params.BaseURL), "/")
	p := draft.Provider{BaseURL: base}
	switch {
	case known && !c.isForeign(id, base):
		p.BaseURL = completeURL(id, base)
	case known && id != "anthropic" && id != "google" && base != "", compatible[prefix] && base != "":
		id, p.Kind = hostName(base), "openai"
	default:
		c.Note("model_name %q: %q is not supported, so the deployment is left out", d.Name, d.Params.Model)
		return "", "", false
	}
	if id == "azure" && base == "" {
		c.Note("model_name %q: the deployment at Azure has no api_base, so it is left out", d.Name)
		return "", "", false
	}
	p.Keys, p.Timeouts, p.Limits = c.keysOf(d, id), c.timeoutsOf(d), limitsOf(d)
	return c.AddProvider(id, p), upstream, true
}

// splitModel splits a model's prefix from its name. A name without a prefix belongs to the
// provider that the catalog lists first, else to OpenAI, as in LiteLLM.
func (c *converter) splitModel(model string) (prefix, upstream string) {
	prefix, upstream, found := strings.Cut(model, "/")
	if found && (providerIDs[prefix] != "" || compatible[prefix] || !c.isKnown(model)) {
		return prefix, upstream
	}
	entry, ok := c.Catalog().FindByName(model)
	switch {
	case ok && entry.Endpoints[0].Provider == "google":
		return "gemini", model
	case ok:
		return entry.Endpoints[0].Provider, model
	case strings.HasPrefix(model, "claude"):
		return "anthropic", model
	}
	return "openai", model
}

func (c *converter) isKnown(model string) bool {
	_, ok := c.Catalog().FindByName(model)
	return ok
}

// isForeign reports whether the address is not one of the vendor itself. Such a server gets
// a name of its own, so that the vendor's credential is not sent to it.
func (c *converter) isForeign(id, base string) bool {
	known, _ := c.Catalog().Provider(id)
	if base == "" || known.BaseURL == "" || known.CredentialEnv == "" {
		return false
	}
	have, err := url.Parse(base)
	want, err2 := url.Parse(known.BaseURL)
	return err != nil || err2 != nil || have.Hostname() != want.Hostname()
}

// completeURL adds the path that LiteLLM adds by itself.
func completeURL(id, base string) string {
	suffix := map[string]string{"azure": "/openai/v1", "anthropic": "/v1", "ollama": "/v1", "google": "/v1beta"}[id]
	if base == "" || suffix == "" || strings.HasSuffix(base, suffix) {
		return base
	}
	return base + suffix
}

// hostName returns a name for a server, such as "llm.example.com".
func hostName(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" {
		return "custom"
	}
	return draft.CleanName(u.Hostname(), "._-")
}

// keysOf returns the reference to the credential. A key in the file is never written to
// the document.
func (c *converter) keysOf(d deployment, id string) []draft.Key {
	known, _ := c.Catalog().Provider(id)
	env, written := strings.CutPrefix(d.Params.APIKey, "os.environ/")
	switch {
	case written:
		return []draft.Key{{Ref: "env:" + env}}
	case d.Params.APIKey == "" && (known.CredentialEnv == "" || d.Params.APIBase+d.Params.BaseURL == ""):
		return nil
	case isPlaceholder(d.Params.APIKey):
		return nil
	}
	env = known.CredentialEnv
	if env == "" {
		env = draft.EnvName(id)
	}
	if d.Params.APIKey != "" {
		c.Note("model_name %q: the file contains a key; set %s to it, because a policy never contains keys", d.Name, env)
	}
	return []draft.Key{{Ref: "env:" + env}}
}

// isPlaceholder reports whether a key is one of those that users write for servers without
// keys.
func isPlaceholder(key string) bool {
	switch strings.ToLower(key) {
	case "none", "empty", "dummy", "fake", "fake-key", "sk-fake", "anything", "not-needed", "n/a":
		return true
	}
	return false
}
