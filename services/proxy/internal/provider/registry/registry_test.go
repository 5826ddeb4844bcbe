package registry_test

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/providertest"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/registry"
)

func deps(env map[string]string) registry.Deps {
	return registry.Deps{Version: "test", ResolveSecret: registry.NewSecretResolver(func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	})}
}

func policyOf(providers ...policy.Provider) *policy.Policy {
	return &policy.Policy{Providers: providers}
}

func acme(baseURL string, refs ...string) policy.Provider {
	p := policy.Provider{Name: "acme", Kind: "openai", BaseURL: baseURL, AllowPrivate: true}
	for _, r := range refs {
		p.Keys = append(p.Keys, policy.CredentialRef{Ref: r})
	}
	return p
}

func TestSetServesWhatThePolicyNames(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	set, err := registry.Build(policyOf(
		acme(u.URL, "env:GONE", "env:ACME_KEY", "env:SPARE_KEY"),
		policy.Provider{Name: "sandbox", Kind: "sandbox"},
	), deps(map[string]string{"ACME_KEY": " sk-1\n", "SPARE_KEY": "sk-2"}), nil)
	require.NoError(t, err)

	c, ok := set.ChatCompleter("acme")
	require.True(t, ok)
	_, err = c.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", false))
	require.NoError(t, err)
	require.Equal(t, "Bearer sk-1", u.Received()[0].Header.Get("Authorization"))
	require.Equal(t, "signalbox/test", u.Received()[0].Header.Get("User-Agent"))
	require.Equal(t, []string{"env:GONE"}, set.MissingKeys())

	_, ok = set.Embedder("sandbox")
	require.True(t, ok)
	_, ok = set.ChatCompleter("nobody")
	require.False(t, ok)
	_, ok = set.Embedder("nobody")
	require.False(t, ok)
}

func TestKeysShareTheCalls(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	entry := acme(u.URL, "env:ONE", "env:TWO")
	entry.Keys[0].Weight = 2
	env := map[string]string{"ONE": "sk-1", "TWO": "sk-2"}
	set, err := registry.Build(policyOf(entry, policy.Provider{Name: "sandbox", Kind: "sandbox"}), deps(env), nil)
	require.NoError(t, err)
	chat := func(s *registry.Set) error {
		c, _ := s.ChatCompleter("acme")
		_, err := c.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", false))
		return err
	}
	for range 3 {
		require.NoError(t, chat(set))
	}
	var used []string
	for _, r := range u.Received() {
		used = append(used, r.Header.Get("Authorization"))
	}
	require.Equal(t, []string{"Bearer sk-1", "Bearer sk-2", "Bearer sk-1"}, used)
	require.Equal(t, []registry.Key{{Provider: "acme", Name: "env:ONE"}, {Provider: "acme", Name: "env:TWO"}}, set.Keys())

	u.Script(scripted.JSON(401, `{"error":"no"}`))
	require.ErrorAs(t, chat(set), new(*provider.RepeatError))
	suspended := []registry.Key{{Provider: "acme", Name: "env:ONE", Suspended: true}, {Provider: "acme", Name: "env:TWO"}}
	require.Equal(t, suspended, set.Keys())
	same, err := registry.Build(policyOf(entry), deps(env), set)
	require.NoError(t, err)
	require.Equal(t, suspended, same.Keys(), "the state of a key survives a policy change")

	entry.Keys[1].Weight = 2
	other, err := registry.Build(policyOf(entry), deps(env), set)
	require.NoError(t, err)
	require.False(t, other.Keys()[0].Suspended)
}

func TestEveryKindIsServed(t *testing.T) {
	var all []policy.Provider
	for _, kind := range []string{"openai", "anthropic", "gemini", "sandbox"} {
		all = append(all, policy.Provider{Name: kind, Kind: kind, BaseURL: "https://acme.example/v1"})
	}
	set, err := registry.Build(policyOf(all...), deps(nil), nil)
	require.NoError(t, err)
	for _, p := range all {
		_, ok := set.ChatCompleter(p.Name)
		require.True(t, ok, p.Name)
		_, ok = set.Embedder(p.Name)
		require.Equal(t, p.Name != "anthropic", ok, p.Name)
	}
}

func TestProviderWithoutItsCredential(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	dir := t.TempDir()
	set, err := registry.Build(policyOf(acme(u.URL, "env:ACME_KEY", "file:"+dir+"/acme.key")), deps(nil), nil)
	require.NoError(t, err)
	require.Equal(t, []string{"env:ACME_KEY", "file:acme.key"}, set.MissingKeys())

	c, _ := set.ChatCompleter("acme")
	_, err = c.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", false))
	require.Equal(t, apperr.ProviderAuth, apperr.CodeOf(err))
	e, _ := set.Embedder("acme")
	_, err = e.Embed(t.Context(), providertest.EmbedCall(t, "m", `"x"`))
	require.Equal(t, apperr.ProviderAuth, apperr.CodeOf(err))
	require.Empty(t, u.Received())
}

func TestRebuildKeepsWhatDidNotChange(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	env := map[string]string{"ACME_KEY": "sk-1"}
	sandbox := policy.Provider{Name: "sandbox", Kind: "sandbox"}
	first, err := registry.Build(policyOf(acme(u.URL, "env:ACME_KEY")), deps(env), nil)
	require.NoError(t, err)
	chatter := func(s *registry.Set) any {
		c, ok := s.ChatCompleter("acme")
		require.True(t, ok)
		return c
	}

	same, err := registry.Build(policyOf(acme(u.URL, "env:ACME_KEY"), sandbox), deps(env), first)
	require.NoError(t, err)
	require.Same(t, chatter(first), chatter(same))

	moved, err := registry.Build(policyOf(acme(u.URL+"/v2", "env:ACME_KEY")), deps(env), same)
	require.NoError(t, err)
	require.NotSame(t, chatter(first), chatter(moved))
	_, ok := moved.ChatCompleter("sandbox")
	require.False(t, ok)

	env["ACME_KEY"] = "sk-2"
	rotated, err := registry.Build(policyOf(acme(u.URL, "env:ACME_KEY")), deps(env), first)
	require.NoError(t, err)
	require.NotSame(t, chatter(first), chatter(rotated))
}

func TestBuildReportsEveryError(t *testing.T) {
	_, err := registry.Build(policyOf(
		policy.Provider{Name: "one", Kind: "telepathy"},
		policy.Provider{Name: "two", Kind: "openai", BaseURL: "nowhere"},
	), deps(nil), nil)
	require.ErrorContains(t, err, `provider one: unknown kind "telepathy"`)
	require.ErrorContains(t, err, "provider two: base_url")
	_, err = registry.Build(policyOf(), registry.Deps{}, nil)
	require.ErrorContains(t, err, "ResolveSecret")
}

func TestSecretResolver(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return "file:" + path
	}
	resolve := deps(map[string]string{"GOOD": "sk-1", "EMPTY": " "}).ResolveSecret
	for _, tt := range []struct {
		name, ref, want, err string
	}{
		{"env", "env:GOOD", "sk-1", ""},
		{"file", write("good", "\tsk-2\r\n"), "sk-2", ""},
		{"absent env", "env:NONE", "", "credential env:NONE: missing or empty"},
		{"empty env", "env:EMPTY", "", "credential env:EMPTY: missing or empty"},
		{"absent file", "file:" + dir + "/none", "", "credential file:none: no such file or directory"},
		{"folder", "file:" + dir, "", "is a directory"},
		{"two lines", write("two", "sk-3\nsk-4"), "", "contains white space"},
		{"no form", "sk-5", "", "credential (malformed): must be env:NAME or file:PATH"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := resolve(tt.ref)
			require.Equal(t, config.Secret(tt.want).Reveal(), got.Reveal())
			if tt.err == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.err)
			require.NotContains(t, err.Error(), "sk-3")
		})
	}
}

// A provider with a proxy is reached only through it.
func TestProviderThroughAProxy(t *testing.T) {
	u := scriptedtest.New(t, scriptedtest.OpenAI)
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		target, err := url.Parse(u.URL)
		require.NoError(t, err)
		r.Out.URL.Host = target.Host
		r.Out.Header.Set("X-Forwarded-For-Host", r.In.URL.Host)
	}})
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	for name, tt := range map[string]struct {
		proxy        string
		allowPrivate bool
		phase        any
	}{
		"URL":                                  {proxy.URL, false, nil},
		"environment":                          {policy.ProxyEnv, true, nil},
		"private address from environment":     {policy.ProxyEnv, false, "guard"},
		"direct, although the variable is set": {"", true, "dns"},
	} {
		t.Run(name, func(t *testing.T) {
			p := acme("http://acme.invalid/v1")
			p.Proxy, p.AllowPrivate = tt.proxy, tt.allowPrivate
			set, err := registry.Build(policyOf(p), deps(nil), nil)
			require.NoError(t, err)
			c, _ := set.ChatCompleter("acme")
			_, err = c.CompleteChat(t.Context(), providertest.ChatCall(t, "m", "hello", false))
			if tt.phase == nil {
				require.NoError(t, err)
				require.Equal(t, "acme.invalid", u.Last().Header.Get("X-Forwarded-For-Host"))
				return
			}
			require.Equal(t, tt.phase, apperr.From(err).Details["phase"])
		})
	}
}
