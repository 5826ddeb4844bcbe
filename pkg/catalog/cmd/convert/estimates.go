package main

// estimates returns the assumed quality, from 0 to 1000, of models that LiveBench has not
// measured. The numbers are on LiveBench's scale. They are derived from the measured predecessor,
// the price relative to the vendor's other models, and the rank in other benchmarks. Learned
// quality replaces them.
func estimates() map[string]int64 {
	return map[string]int64{
		"gpt-6-astra": 860, "gpt-6.1-sol": 830, "gpt-6-sol": 815, "gpt-6.1-terra": 780, "gpt-6-luna": 680,
		"gpt-5.6-sol": 800, "gpt-5.6-terra": 750, "gpt-5.6-luna": 670, "gpt-5": 680,
		"gpt-5.5-pro": 810, "gpt-5.4-pro": 800,
		"gpt-4.1": 520, "gpt-4.1-mini": 460, "gpt-4.1-nano": 370, "gpt-4o": 430, "gpt-4o-mini": 370,
		"o3": 640, "o4-mini": 600, "gpt-3.5-turbo": 250,

		"claude-opus-5-5": 860, "claude-sonnet-5-5": 825, "claude-haiku-5-5": 690, "claude-fable-5-1": 870, "claude-opus-5": 820,

		"gemini-4-argon": 845, "gemini-3.8-flash": 780, "gemini-3.7-flash": 770, "gemini-3.6-flash": 760, "gemini-3.5-flash-lite": 640,

		"grok-4.7": 800, "grok-4.6": 770, "grok-4.5": 730,

		"deepseek-flash": 680, "deepseek-v4-pro-0813": 745,

		"mistral-large-4": 720, "mistral-large-2512": 480, "mistral-medium-2604": 650, "mistral-medium-2508": 500,
		"mistral-small-2603": 600, "mistral-small-2506": 400, "ministral-14b-2512": 430, "ministral-8b-2512": 380,
		"ministral-3b-2512": 320, "magistral-medium-latest": 540, "codestral-2508": 420, "open-mistral-nemo": 250,

		"llama-3.1-8b-instruct": 250, "llama-3.3-70b-instruct": 390, "gpt-oss-20b": 400,
		"qwen3.8-27b": 690, "qwen3.5-9b": 500, "qwen3.8-max": 780,
		"kimi-k3": 780, "kimi-k3.1-pro": 795, "glm-5.3": 770, "glm-5.3-flash": 650,
		"muse-spark-open-816b-a42b": 720, "MiniMax-M3.1-Flash": 640,

		"sonar": 430, "sonar-pro": 540, "sonar-reasoning-pro": 610, "sonar-deep-research": 630,
	}
}
