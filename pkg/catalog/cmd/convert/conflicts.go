package main

// ruling is a manual decision about a price on which the sources disagree.
type ruling struct {
	// currentSource is the source of the current price.
	currentSource string
	// earlierSources lists the sources of earlier prices, oldest first. An earlier price takes
	// effect on the date of its source.
	earlierSources []string
	why            string
}

// rulings covers every row whose sources disagree on the input or output price. A
// disagreement without a ruling stops the conversion.
func rulings() map[string]ruling {
	market := "OpenRouter is a marketplace whose prices change daily; "
	return map[string]ruling{
		"openai/gpt-5.6-sol":      {"pi", []string{"ll"}, "price cut from $5 in and $30 out between August and 22 September 2026; the three newest sources agree"},
		"azure/gpt-5.6-sol":       {"pi", []string{"ll"}, "follows OpenAI's price cut; the two newest sources agree on input and output; as at OpenAI, a cached token costs a tenth of the input price"},
		"google/gemini-3.6-flash": {"pi", nil, "introductory price until the end of 2026; the source that disagrees already lists the price that follows"},
		"deepseek/deepseek-flash": {"pi", []string{"mdn"}, "price doubled between 22 September and 2 November 2026; Together and Fireworks list the new price for the same weights"},
		"deepseek/deepseek-v4-pro": {"pi", []string{"ll", "gp"},
			"price raised twice: to $0.66 in and $1.98 out by 23 September, and to $1.32 in and $3.96 out by 2 November 2026; Together lists the newest price for the August build"},
		"mistral/open-mistral-nemo":                               {"pi", nil, "LiteLLM alone lists twice the price, which is out of date"},
		"together/Qwen/Qwen3.5-9B":                                {"pi", nil, "Portkey alone lists six times the price; the three newest sources agree"},
		"together/Qwen/Qwen3.7-Max":                               {"pi", []string{"pk"}, "the newest source lists twice the price of three older sources; this is treated as a price increase"},
		"fireworks/accounts/fireworks/models/deepseek-v4p1-flash": {"pi", []string{"mdn"}, "price raised together with DeepSeek's own price"},
		"bedrock/amazon.nova-2-lite-v1:0":                         {"pi", nil, "LiteLLM lists the price of another region"},
		"azure/gpt-4o-mini":                                       {"pi", nil, "LiteLLM lists the price of a regional deployment, which is 10 % higher"},
		"openrouter/google/gemini-3.8-flash":                      {"mdn", nil, market + "the other source includes the fee of a reseller; Google's own price is $0.75 in and $3.75 out"},
		"openrouter/deepseek/deepseek-v4-pro":                     {"pi", nil, market + "the newest price is used"},
		"openrouter/moonshotai/kimi-k3":                           {"mdn", nil, market + "an input price of $0.192 with an output price of $15 is a mistake; three sources and the maker list $3"},
		"openrouter/z-ai/glm-5.3":                                 {"mdn", nil, market + "an input price of $0.08 with an output price of $3.60 is a mistake"},
		"openrouter/qwen/qwen3-235b-a22b-2507":                    {"pi", nil, market + "the newest price is used; another source agrees"},
		"openrouter/meta-llama/llama-3.3-70b-instruct":            {"pi", nil, market + "the newest price is used; two other sources agree"},
		"openrouter/openai/gpt-oss-120b":                          {"pi", nil, market + "the two newest sources agree"},
		"openrouter/openai/gpt-oss-20b":                           {"pi", nil, market + "the two newest sources agree"},
		"openrouter/x-ai/grok-4.7":                                {"pi", nil, market + "the newest price is used; it is the maker's own price"},
	}
}

// cacheRulings covers rows whose sources disagree only on the price of cached tokens.
func cacheRulings() map[string]string {
	return map[string]string{
		"openai/gpt-4.1-nano":            "Portkey rounds the price of a cached token to a cent",
		"azure/gpt-5-mini":               "models.dev rounds the price of a cached token to a cent",
		"xai/grok-4.5":                   "LiteLLM lists the cached-token price of the previous model",
		"vertex/gemini-2.5-flash":        "models.dev of July lists the cached-token price from before the price cut",
		"bedrock/amazon.nova-lite-v1:0":  "Portkey doubles Amazon's prices of cached tokens",
		"bedrock/amazon.nova-micro-v1:0": "Portkey doubles Amazon's prices of cached tokens",
		"bedrock/amazon.nova-pro-v1:0":   "Portkey doubles Amazon's prices of cached tokens",
	}
}
