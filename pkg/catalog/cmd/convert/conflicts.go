package main

// ruling is a manual decision for a price on which the sources disagree.
type ruling struct {
	// take is the source of the current price.
	take string
	// before lists the sources of earlier prices, oldest first. Each earlier price is retained
	// with the date of its source.
	before []string
	why    string
}

// rulings covers every row whose sources disagree on the input or output price. A
// disagreement without a ruling stops the conversion.
func rulings() map[string]ruling {
	market := "OpenRouter is a market whose prices move daily; "
	return map[string]ruling{
		"openai/gpt-5.6-sol":      {"pi", []string{"ll"}, "cut from 5/30 between August and 22 September 2026: the three newest sources agree"},
		"azure/gpt-5.6-sol":       {"pi", []string{"ll"}, "follows OpenAI's cut; the two newest sources agree on input and output, and the cached price is OpenAI's tenth"},
		"google/gemini-3.6-flash": {"pi", nil, "introductory price until the end of 2026; the table that says otherwise has the later one already"},
		"deepseek/deepseek-flash": {"pi", []string{"mdn"}, "doubled between 22 September and 2 November 2026; Together and Fireworks list the new price for the same weights"},
		"deepseek/deepseek-v4-pro": {"pi", []string{"ll", "gp"},
			"raised twice, to 0.66/1.98 by 23 September and to 1.32/3.96 by 2 November 2026; Together lists the latter for the August build"},
		"mistral/open-mistral-nemo":                               {"pi", nil, "LiteLLM alone has twice the price, an old one"},
		"together/Qwen/Qwen3.5-9B":                                {"pi", nil, "Portkey alone has six times the price, and the newest three agree"},
		"together/Qwen/Qwen3.7-Max":                               {"pi", []string{"pk"}, "the newest source has twice what three older ones list: taken for a raise"},
		"fireworks/accounts/fireworks/models/deepseek-v4p1-flash": {"pi", []string{"mdn"}, "raised with DeepSeek's own price"},
		"bedrock/amazon.nova-2-lite-v1:0":                         {"pi", nil, "LiteLLM has another region"},
		"azure/gpt-4o-mini":                                       {"pi", nil, "LiteLLM has the price of a regional deployment, a tenth more"},
		"openrouter/google/gemini-3.8-flash":                      {"mdn", nil, market + "the other source adds the fee of a reseller, and Google itself asks 0.75/3.75"},
		"openrouter/deepseek/deepseek-v4-pro":                     {"pi", nil, market + "the newest is taken"},
		"openrouter/moonshotai/kimi-k3":                           {"mdn", nil, market + "0.192 to read against 15 to write is a slip: three sources and the maker have 3"},
		"openrouter/z-ai/glm-5.3":                                 {"mdn", nil, market + "0.08 to read against 3.60 to write is a slip"},
		"openrouter/qwen/qwen3-235b-a22b-2507":                    {"pi", nil, market + "the newest is taken, with which another agrees"},
		"openrouter/meta-llama/llama-3.3-70b-instruct":            {"pi", nil, market + "the newest agrees with two others"},
		"openrouter/openai/gpt-oss-120b":                          {"pi", nil, market + "the two newest agree"},
		"openrouter/openai/gpt-oss-20b":                           {"pi", nil, market + "the two newest agree"},
		"openrouter/x-ai/grok-4.7":                                {"pi", nil, market + "the newest is taken, which is the maker's own price"},
	}
}

// cacheRulings covers rows whose sources disagree on cached tokens only.
func cacheRulings() map[string]string {
	return map[string]string{
		"openai/gpt-4.1-nano":            "Portkey rounds the price of a cached token to a cent",
		"azure/gpt-5-mini":               "models.dev rounds the price of a cached token to a cent",
		"xai/grok-4.5":                   "LiteLLM has the price of a cached token of the model before",
		"vertex/gemini-2.5-flash":        "models.dev of July has the price of a cached token before the cut",
		"bedrock/amazon.nova-lite-v1:0":  "Portkey doubles Amazon's prices of cached tokens",
		"bedrock/amazon.nova-micro-v1:0": "Portkey doubles Amazon's prices of cached tokens",
		"bedrock/amazon.nova-pro-v1:0":   "Portkey doubles Amazon's prices of cached tokens",
	}
}
