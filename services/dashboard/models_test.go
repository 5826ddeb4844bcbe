package dashboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestModelsOfActivePolicy checks that the response joins the policy's models
// with the catalog's data.
func TestModelsOfActivePolicy(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	got := b.api("GET", "/models", "").json(t)
	require.NotEmpty(t, got["policy_version"])
	models := map[string]map[string]any{}
	for _, m := range got["items"].([]any) {
		models[m.(map[string]any)["id"].(string)] = m.(map[string]any)
	}
	sonnet := models["claude-sonnet-5-5"]
	require.Equal(t, true, sonnet["listed"])
	require.Equal(t, "active", sonnet["status"])
	at := sonnet["endpoints"].([]any)[0].(map[string]any)
	require.Equal(t, "anthropic", at["provider"])
	require.Equal(t, "medium", at["confidence"])
	price := at["prices"].([]any)[0].(map[string]any)
	require.Equal(t, true, price["in_force"])
	require.Equal(t, 2_000_000.0, price["input"])

	require.Equal(t, false, models["claude-sonnet-4-5"]["listed"], "who names it gets it")
	require.Equal(t, "2026-11-30", models["claude-sonnet-4-5"]["retires"])

	small := models["small"]["endpoints"].([]any)[0].(map[string]any)["prices"].([]any)[0].(map[string]any)
	require.Nil(t, small["effective"], "it always held")
	require.Equal(t, map[string]any{
		"above": 1000.0, "input": 200_000.0, "cache_read": 200_000.0, "cache_write": 200_000.0, "cache_write_1h": nil, "output": 400_000.0,
	}, small["tiers"].([]any)[0])
	bare := models["bare"]
	require.Nil(t, bare["context"], "what is not known is null")
	require.Empty(t, bare["endpoints"].([]any)[0].(map[string]any)["prices"])

	require.Equal(t, true, bare["served"])
	require.NotContains(t, models, "gpt-5-nano", "no configured provider serves it")

	b.api("GET", "/models?catalog=no", "").requireError(t, 400, "INVALID_REQUEST")
	b.api("GET", "/models?colour=red", "").requireError(t, 400, "INVALID_REQUEST")
}

// TestCatalogHasModelsWithoutProvider checks that the whole catalog lists every model once.
func TestCatalogHasModelsWithoutProvider(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	served, unserved := map[string]bool{}, map[string]map[string]any{}
	for _, one := range b.api("GET", "/models?catalog=true", "").json(t)["items"].([]any) {
		m := one.(map[string]any)
		id := m["id"].(string)
		require.False(t, served[id] || unserved[id] != nil, id)
		if m["served"] == true {
			served[id] = true
		} else {
			unserved[id] = m
		}
	}
	require.True(t, served["small"])
	large := unserved["sandbox-large"]
	require.Equal(t, false, large["listed"])
	require.Equal(t, "sandbox", large["endpoints"].([]any)[0].(map[string]any)["provider"])
	require.NotEmpty(t, large["endpoints"].([]any)[0].(map[string]any)["prices"], "its price is that of the model")
}

func TestSupportedProviders(t *testing.T) {
	h := newTestEnv(t, "")
	items := h.claimOperator().api("GET", "/providers/supported", "").json(t)["items"].([]any)
	byID, seenOther := map[string]map[string]any{}, false
	for _, item := range items {
		p := item.(map[string]any)
		byID[p["id"].(string)] = p
		require.False(t, seenOther && p["configured"].(bool), "configured ones come first")
		seenOther = seenOther || !p["configured"].(bool)
	}
	require.Equal(t, true, byID["anthropic"]["configured"])
	openai := byID["openai"]
	require.Equal(t, "OPENAI_API_KEY", openai["variable"])
	require.Equal(t, false, openai["configured"])
	require.NotZero(t, openai["models"])
}

func TestLocalServersAreListed(t *testing.T) {
	got := newTestEnv(t, "").claimOperator().api("POST", "/providers/local", "").json(t)
	require.Equal(t, map[string]any{"available": true, "items": []any{
		map[string]any{"provider": "ollama", "base_url": "http://127.0.0.1:11434/v1", "models": []any{"llama"}},
		map[string]any{"provider": "vllm", "base_url": "", "models": []any{}},
	}}, got)
}
