package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
)

// problems has one line per problem: position, path, code and suggestion.
func problems(t *testing.T, document string) []string {
	_, err := policy.Compile([]byte(document), load(t))
	require.Error(t, err)
	var ps policy.Problems
	require.ErrorAs(t, err, &ps)
	var all []string
	for _, p := range ps {
		require.NotEmpty(t, p.Message)
		all = append(all, strings.TrimRight(fmt.Sprintf("%d:%d %s %s %s", p.Line, p.Column, p.Path, p.Code, p.DidYouMean), " "))
	}
	return all
}

const models = "models: {sandbox-small: {}, sandbox-large: {}, sandbox-embed: {}}\n"

func TestProblems(t *testing.T) {
	tests := []struct {
		name string
		give string
		want string
	}{
		{"empty", "", "1:1  MISSING_FIELD"},
		{"not a mapping", "- a", "1:1  WRONG_TYPE\n1:1  MISSING_FIELD"},
		{"not YAML", "version: 1\nmodels: [}", "2:9  SYNTAX"},
		{"not a text", "version: 1 # \x00", "1:1  SYNTAX"},
		{"not UTF-8", "version: 1 # \xff", "1:1  SYNTAX"},
		{"two documents", "version: 1\n---\nversion: 1", "1:1  SYNTAX"},
		{"other version", "version: 2", "1:10 version BAD_VERSION"},
		{"anchor", "version: 1\nmodels: &m {}", "2:9  UNSUPPORTED_YAML"},
		{"merge", "version: 1\nmodels: {<<: 1}", "2:10  UNSUPPORTED_YAML"},
		{"tag", "version: !!int 1", "1:10  UNSUPPORTED_YAML"},
		{"unknown field", "version: 1\nmodles: {}", "2:1 modles UNKNOWN_FIELD models"},
		{"a field of a later language", "version: 1\n" + models + "routes: {auto: {select: [{target: sandbox-small, unless: {}}]}}", "3:50 routes.auto.select[0].unless UNKNOWN_FIELD"},
		{"double key", "version: 1\nmodels:\n  sandbox-small: {}\n  sandbox-small: {}", "4:3 models.sandbox-small DUPLICATE_KEY"},
		{"unknown provider's kind", "version: 1\nproviders:\n  mine: {base_url: https://a.example}", "3:3 providers.mine MISSING_FIELD"},
		{"unknown kind", "version: 1\nproviders: {mine: {kind: opnai, base_url: https://a.example}}", "2:26 providers.mine.kind UNKNOWN_KIND openai"},
		{"no address", "version: 1\nproviders: {mine: {kind: openai}}", "2:13 providers.mine MISSING_FIELD"},
		{"bad name", "version: 1\nproviders: {\"a/b\": {kind: sandbox}}", "2:13 providers.a/b BAD_NAME"},
		{"address with a user", "version: 1\nproviders: {xai: {base_url: \"https://u:p@a.example\"}}", "2:29 providers.xai.base_url BAD_URL"},
		{"address with a query", "version: 1\nproviders: {xai: {base_url: \"https://a.example/?k=1\"}}", "2:29 providers.xai.base_url BAD_URL"},
		{"address of another scheme", "version: 1\nproviders: {xai: {base_url: ftp://a.example}}", "2:29 providers.xai.base_url BAD_URL"},
		{"private address", "version: 1\nproviders: {xai: {base_url: http://10.0.0.1/v1}}", "2:29 providers.xai.base_url PRIVATE_ADDRESS"},
		{"mapped loopback", "version: 1\nproviders: {xai: {base_url: \"http://[::ffff:127.0.0.1]/v1\"}}", "2:29 providers.xai.base_url PRIVATE_ADDRESS"},
		{"localhost", "version: 1\nproviders: {xai: {base_url: http://localhost:1/v1}}", "2:29 providers.xai.base_url PRIVATE_ADDRESS"},
		{"sandbox has no address", "version: 1\nproviders: {sandbox: {base_url: https://a.example}}", "2:33 providers.sandbox.base_url WRONG_KIND"},
		{"secret itself", "version: 1\nproviders: {xai: {keys: [{ref: sk-abc}]}}", "2:32 providers.xai.keys[0].ref BAD_SECRET_REF"},
		{"relative file", "version: 1\nproviders: {xai: {keys: [{ref: \"file:key\"}]}}", "2:32 providers.xai.keys[0].ref BAD_SECRET_REF"},
		{"variable's name", "version: 1\nproviders: {xai: {keys: [{ref: \"env:A B\"}]}}", "2:32 providers.xai.keys[0].ref BAD_SECRET_REF"},
		{"key without a ref", "version: 1\nproviders: {xai: {keys: [{}]}}", "2:26 providers.xai.keys[0] MISSING_FIELD"},
		{"key twice", "version: 1\nproviders: {xai: {keys: [{ref: env:A}, {ref: env:A}]}}", "2:46 providers.xai.keys[1].ref DUPLICATE_ENTRY"},
		{"weight of nothing", "version: 1\nproviders: {xai: {keys: [{ref: env:A, weight: 0}]}}", "2:47 providers.xai.keys[0].weight BAD_VALUE"},
		{"too many keys", "version: 1\nproviders: {xai: {keys: [" + manyKeys(65) + "]}}", "2:19 providers.xai.keys TOO_LARGE"},
		{"HTTP/2 without TLS", "version: 1\nproviders: {xai: {base_url: http://a.example, http2: true}}", "2:54 providers.xai.http2 BAD_VALUE"},
		{"proxy without a scheme", "version: 1\nproviders: {xai: {proxy: \"proxy.example:3128\"}}", "2:26 providers.xai.proxy BAD_URL"},
		{"proxy of another kind", "version: 1\nproviders: {xai: {proxy: \"ftp://proxy.example\"}}", "2:26 providers.xai.proxy BAD_URL"},
		{"proxy with a password", "version: 1\nproviders: {xai: {proxy: \"http://me:secret@proxy.example\"}}", "2:26 providers.xai.proxy BAD_URL"},
		{"proxy with a path", "version: 1\nproviders: {xai: {proxy: \"http://proxy.example/x\"}}", "2:26 providers.xai.proxy BAD_URL"},
		{"proxy as a switch", "version: 1\nproviders: {xai: {proxy: true}}", "2:26 providers.xai.proxy BAD_URL"},
		{"proxy of a sandbox", "version: 1\nproviders: {sandbox: {proxy: \"http://proxy.example\"}}", "2:30 providers.sandbox.proxy WRONG_KIND"},
		{"proxy of the environment of a sandbox", "version: 1\nproviders: {sandbox: {proxy: env}}", "2:30 providers.sandbox.proxy WRONG_KIND"},
		{"HTTP/2 through a proxy", "version: 1\nproviders: {xai: {proxy: env, http2: true}}", "2:38 providers.xai.http2 BAD_VALUE"},
		{"time without a unit", "version: 1\nproviders: {xai: {timeouts: {idle: 5}}}", "2:36 providers.xai.timeouts.idle BAD_VALUE"},
		{"switch", "version: 1\nproviders: {xai: {allow_private: maybe}}", "2:34 providers.xai.allow_private WRONG_TYPE"},
		{"no endpoint", "version: 1\nmodels:\n  mine: {context: 5}", "3:3 models.mine NO_ENDPOINT"},
		{"like nothing", "version: 1\nmodels:\n  mine: {like: gpt-4p, endpoints: [{provider: openai, model: x}]}", "3:16 models.mine.like UNKNOWN_MODEL gpt-4o"},
		{"a place without a name", "version: 1\nmodels: {mine: {endpoints: [{provider: sandbox, model: ''}]}}", "2:56 models.mine.endpoints[0].model BAD_VALUE"},
		{"unknown provider", "version: 1\nmodels: {m: {endpoints: [{provider: grok, model: x}]}}", "2:37 models.m.endpoints[0].provider UNKNOWN_PROVIDER groq"},
		{"half an endpoint", "version: 1\nmodels: {sandbox-small: {endpoints: [{provider: groq}]}}", "2:39 models.sandbox-small.endpoints[0] MISSING_FIELD"},
		{"capability", "version: 1\nmodels: {sandbox-small: {capabilities: [tool]}}", "2:41 models.sandbox-small.capabilities[0] UNKNOWN_CAPABILITY tools"},
		{"context", "version: 1\nmodels: {sandbox-small: {context: -1}}", "2:35 models.sandbox-small.context BAD_VALUE"},
		{"price as words", "version: 1\nmodels: {sandbox-small: {price: {input: cheap, output: \"1\"}}}", "2:41 models.sandbox-small.price.input BAD_PRICE"},
		{"price below zero", "version: 1\nmodels: {sandbox-small: {price: {input: \"-1\", output: \"1\"}}}", "2:41 models.sandbox-small.price.input BAD_PRICE"},
		{"price with too many decimal places", "version: 1\nmodels: {sandbox-small: {price: {input: \"0.0000001\", output: \"1\"}}}", "2:41 models.sandbox-small.price.input BAD_PRICE"},
		{"price without output", "version: 1\nmodels: {sandbox-small: {price: {input: \"1\"}}}", "2:26 models.sandbox-small.price MISSING_FIELD"},
		{"price per dozen", "version: 1\nmodels: {sandbox-small: {price: {input: \"1\", output: \"1\", per: 12}}}", "2:64 models.sandbox-small.price.per BAD_PRICE 1M"},
		{"price some day", "version: 1\nmodels: {sandbox-small: {price: {input: \"1\", output: \"1\", effective: soon}}}", "2:70 models.sandbox-small.price.effective BAD_PRICE"},
		{"two prices of a day", "version: 1\nmodels: {sandbox-small: {price: [{input: \"1\", output: \"1\"}, {input: \"2\", output: \"1\"}]}}", "2:62 models.sandbox-small.price[1] BAD_PRICE"},
		{"price of another unit", "version: 1\nmodels: {sandbox-small: {price: {input: \"2000\", output: \"10000\"}}}", "2:26 models.sandbox-small.price BAD_PRICE"},
		{"tier without a size", "version: 1\nmodels: {sandbox-small: {price: {input: \"1\", output: \"2\", tiers: [{input: \"2\", output: \"3\"}]}}}", "2:68 models.sandbox-small.price.tiers[0] MISSING_FIELD"},
		{"tier without output", "version: 1\nmodels: {sandbox-small: {price: {input: \"1\", output: \"2\", tiers: [{above: 9, input: \"2\"}]}}}", "2:68 models.sandbox-small.price.tiers[0] MISSING_FIELD"},
		{"tiers out of order", "version: 1\nmodels: {sandbox-small: {price: {input: \"1\", output: \"2\", tiers: [{above: 9, input: \"2\", output: \"3\"}, {above: 9, input: \"2\", output: \"3\"}]}}}", "2:105 models.sandbox-small.price.tiers[1] BAD_PRICE"},
		{"price of a place", "version: 1\nmodels: {m: {endpoints: [{provider: groq, model: x, price: {input: \"1\"}}]}}", "2:53 models.m.endpoints[0].price MISSING_FIELD"},
		{"what a place lacks", "version: 1\nmodels: {m: {endpoints: [{provider: groq, model: x, lacks: [tool]}]}}", "2:61 models.m.endpoints[0].lacks[0] UNKNOWN_CAPABILITY tools"},
		{"changed and replaced", "version: 1\nmodels: {sandbox-small: {capabilities: [-tools, vision]}}", "2:49 models.sandbox-small.capabilities[1] BAD_VALUE"},
		{"alias of a model", "version: 1\nmodels: {sandbox-small: {aliases: [sandbox-large]}, sandbox-large: {}}", "2:36 models.sandbox-small.aliases[0] NAME_TAKEN"},
		{"alias of a route", "version: 1\nmodels: {sandbox-small: {aliases: [auto]}}\nroutes: {auto: {select: [{target: sandbox-small}]}}", "2:36 models.sandbox-small.aliases[0] NAME_TAKEN"},
		{"alias twice", "version: 1\nmodels: {sandbox-small: {aliases: [s]}, sandbox-large: {aliases: [s]}}", "2:67 models.sandbox-large.aliases[0] NAME_TAKEN"},
		{"alias with a blank", "version: 1\nmodels: {sandbox-small: {aliases: ['a b']}}", "2:36 models.sandbox-small.aliases[0] BAD_NAME"},
		{"unknown value of unlisted", "version: 1\ndefaults: {unlisted: maybe}", "2:22 defaults.unlisted BAD_VALUE"},
		{"quality", "version: 1\nmodels: {sandbox-small: {quality: {code: 1.5}}}", "2:42 models.sandbox-small.quality.code BAD_VALUE"},
		{"unknown model", "version: 1\n" + models + "defaults: {baseline: sandbox-smal}", "3:22 defaults.baseline UNKNOWN_MODEL sandbox-small"},
		{"model of the catalog alone", "version: 1\n" + models + "defaults: {baseline: sandbox-medium}", "3:22 defaults.baseline UNKNOWN_MODEL"},
		{"baseline of another kind", "version: 1\n" + models + "defaults: {baseline: sandbox-embed}", "3:22 defaults.baseline WRONG_KIND"},
		{"too many retries", "version: 1\ndefaults: {retries: {max: 99}}", "2:27 defaults.retries.max BAD_VALUE"},
		{"pattern of nothing", "version: 1\ndefaults: {logging: {redact: [{name: a, pattern: 'x*'}, {name: b, pattern: 'a|(b?c*){2}|d'}]}}", "2:50 defaults.logging.redact[0].pattern BAD_PATTERN\n2:76 defaults.logging.redact[1].pattern BAD_PATTERN"},
		{"no pattern", "version: 1\ndefaults: {logging: {redact: [{name: a, pattern: '(?<=x)a'}]}}", "2:50 defaults.logging.redact[0].pattern BAD_PATTERN"},
		{"long pattern", "version: 1\ndefaults: {logging: {redact: [{name: a, pattern: '" + strings.Repeat("x", 513) + "'}]}}", "2:50 defaults.logging.redact[0].pattern BAD_PATTERN"},
		{"large pattern", "version: 1\ndefaults: {logging: {redact: [{name: a, pattern: '(abcdefghij){900}'}]}}", "2:50 defaults.logging.redact[0].pattern BAD_PATTERN"},
		{"pattern's name", "version: 1\ndefaults: {logging: {redact: [{name: 'a]', pattern: 'x'}]}}", "2:38 defaults.logging.redact[0].name BAD_NAME"},
		{"pattern without a name", "version: 1\ndefaults: {logging: {redact: [{pattern: 'x'}]}}", "2:32 defaults.logging.redact[0] MISSING_FIELD"},
		{"pattern twice", "version: 1\ndefaults: {logging: {redact: [{name: a, pattern: x}, {name: a, pattern: y}]}}", "2:55 defaults.logging.redact[1] DUPLICATE_ENTRY"},
		{"too many patterns", "version: 1\ndefaults: {logging: {redact: [" + strings.Repeat("{name: a, pattern: x},", 51) + "]}}", "2:22 defaults.logging.redact TOO_LARGE"},
		{"other setting of logging", "version: 1\ndefaults: {logging: {redcat: []}}", "2:22 defaults.logging.redcat UNKNOWN_FIELD redact"},
		{"route without select", "version: 1\nroutes:\n  auto: {}", "3:3 routes.auto MISSING_FIELD"},
		{"empty select", "version: 1\nroutes: {auto: {select: []}}", "2:17 routes.auto.select MISSING_FIELD"},
		{"target and candidates", "version: 1\n" + models + "routes: {auto: {select: [{target: sandbox-small, candidates: [sandbox-large]}]}}", "3:27 routes.auto.select[0] AMBIGUOUS_SELECTION"},
		{"aim and strategy", "version: 1\n" + models + "routes: {auto: {select: [{aim: balanced, strategy: cheapest, candidates: [sandbox-large]}]}}", "3:32 routes.auto.select[0].aim AMBIGUOUS_SELECTION"},
		{"aim without candidates", "version: 1\n" + models + "routes: {auto: {select: [{aim: balanced, target: sandbox-large}]}}", "3:32 routes.auto.select[0].aim BAD_VALUE"},
		{"unknown aim", "version: 1\n" + models + "routes: {auto: {select: [{aim: balance, candidates: [sandbox-large]}]}}", "3:32 routes.auto.select[0].aim BAD_VALUE balanced"},
		{"aim of another kind", "version: 1\n" + models + "routes: {auto: {select: [{aim: {qualty: 0.9}, candidates: [sandbox-large]}]}}", "3:33 routes.auto.select[0].aim.qualty UNKNOWN_FIELD quality"},
		{"empty aim", "version: 1\n" + models + "routes: {auto: {select: [{aim: {}, candidates: [sandbox-large]}]}}", "3:27 routes.auto.select[0].aim MISSING_FIELD"},
		{"two aims", "version: 1\n" + models + "routes: {auto: {select: [{aim: {quality: 0.9, cost: 0.4}, candidates: [sandbox-large]}]}}", "3:53 routes.auto.select[0].aim.cost BAD_VALUE"},
		{"aim in percent", "version: 1\n" + models + "routes: {auto: {select: [{aim: {quality: 97}, candidates: [sandbox-large]}]}}", "3:42 routes.auto.select[0].aim.quality BAD_VALUE"},
		{"aim at no cost", "version: 1\n" + models + "routes: {auto: {select: [{aim: {cost: 0}, candidates: [sandbox-large]}]}}", "3:39 routes.auto.select[0].aim.cost BAD_VALUE"},
		{"aim at too fine a cost", "version: 1\n" + models + "routes: {auto: {select: [{aim: {cost: 0.0001}, candidates: [sandbox-large]}]}}", "3:39 routes.auto.select[0].aim.cost BAD_VALUE"},
		{"aim as a list", "version: 1\n" + models + "routes: {auto: {select: [{aim: [balanced], candidates: [sandbox-large]}]}}", "3:27 routes.auto.select[0].aim WRONG_TYPE"},
		{"aim with weights", "version: 1\n" + models + "routes: {auto: {select: [{aim: balanced, weights: {sandbox-large: 1}, candidates: [sandbox-large]}]}}", "3:42 routes.auto.select[0].weights BAD_VALUE"},
		{"aim for embeddings", "version: 1\n" + models + "routes: {e: {kind: embeddings, select: [{aim: balanced, candidates: [sandbox-embed]}]}}", "3:47 routes.e.select[0].aim BAD_VALUE"},
		{"aim without a price", "version: 1\nproviders: {p: {kind: sandbox}}\nmodels: {m: {endpoints: [{provider: p, model: x}]}}\nroutes: {auto: {select: [{aim: balanced, candidates: [m]}]}}", "4:55 routes.auto.select[0].candidates[0] UNPRICED_MODEL"},
		{"effort of a model without", "version: 1\n" + models + "routes: {auto: {select: [{candidates: [{model: sandbox-large, effort: low}]}]}}", "3:48 routes.auto.select[0].candidates[0].model BAD_VALUE"},
		{"effort that the model does not take", "version: 1\nmodels: {gpt-6.1-sol: {}}\nroutes: {auto: {select: [{target: gpt-6.1-sol#hihg}]}}", "3:35 routes.auto.select[0].target BAD_VALUE high"},
		{"effort at a provider", "version: 1\nmodels: {gpt-6.1-sol: {}}\nroutes: {auto: {select: [{target: gpt-6.1-sol@openai#none}]}}", "3:35 routes.auto.select[0].target BAD_VALUE"},
		{"effort at a provider without it", "version: 1\nproviders: {p: {kind: sandbox}}\nmodels: {m: {endpoints: [{provider: p, model: x, lacks: [reasoning]}], efforts: [low]}}\nroutes: {auto: {select: [{target: m#low}]}}", "4:35 routes.auto.select[0].target BAD_VALUE"},
		{"effort of an unknown model", "version: 1\n" + models + "routes: {auto: {select: [{target: sandbox-lrge#low}]}}", "3:35 routes.auto.select[0].target UNKNOWN_MODEL sandbox-large"},
		{"effort twice", "version: 1\nmodels: {gpt-6.1-sol: {}}\nroutes: {auto: {select: [{candidates: [{model: gpt-6.1-sol#low, effort: high}]}]}}", "3:73 routes.auto.select[0].candidates[0].effort BAD_VALUE"},
		{"candidate with an effort twice", "version: 1\nmodels: {gpt-6.1-sol: {}}\nroutes: {auto: {select: [{candidates: [{model: gpt-6.1-sol, effort: low}, gpt-6.1-sol#low]}]}}", "3:75 routes.auto.select[0].candidates[1] DUPLICATE_ENTRY"},
		{"candidate without a model", "version: 1\nmodels: {gpt-6.1-sol: {}}\nroutes: {auto: {select: [{candidates: [{effort: low}]}]}}", "3:41 routes.auto.select[0].candidates[0] MISSING_FIELD"},
		{"candidate with another field", "version: 1\nmodels: {gpt-6.1-sol: {}}\nroutes: {auto: {select: [{candidates: [{model: gpt-6.1-sol, efort: low}]}]}}", "3:61 routes.auto.select[0].candidates[0].efort UNKNOWN_FIELD effort"},
		{"unknown effort of a model", "version: 1\nmodels: {sandbox-large: {efforts: [loww]}}", "2:36 models.sandbox-large.efforts[0] BAD_VALUE low"},
		{"effort of a baseline", "version: 1\nmodels: {gpt-6.1-sol: {}}\ndefaults: {baseline: gpt-6.1-sol#low}", "3:22 defaults.baseline UNKNOWN_MODEL"},
		{"never reached", "version: 1\n" + models + "routes: {auto: {select: [{target: sandbox-small}, {target: sandbox-large}]}}", "3:52 routes.auto.select[1] DEAD_RULE"},
		{"candidate twice", "version: 1\n" + models + "routes: {auto: {select: [{candidates: [sandbox-small, sandbox-small]}]}}", "3:55 routes.auto.select[0].candidates[1] DUPLICATE_ENTRY"},
		{"candidate of another kind", "version: 1\n" + models + "routes: {auto: {select: [{target: sandbox-embed}]}}", "3:35 routes.auto.select[0].target WRONG_KIND"},
		{"route named like a model", "version: 1\n" + models + "routes: {sandbox-small: {select: [{target: sandbox-large}]}}", "3:10 routes.sandbox-small NAME_TAKEN"},
		{"another requirement", "version: 1\n" + models + "routes: {auto: {require: [{context: any}], select: [{target: sandbox-large}]}}", "3:37 routes.auto.require[0].context BAD_VALUE"},
		{"two embedding models", "version: 1\nmodels: {text-embedding-3-small: {}, text-embedding-3-large: {}}\nroutes: {e: {kind: embeddings, select: [{candidates: [text-embedding-3-small, text-embedding-3-large]}]}}", "3:10 routes.e EMBEDDING_ROUTE"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, strings.Join(problems(t, tt.give), "\n"))
		})
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{ref: env:KEY_%d},", i)
	}
	return b.String()
}

func TestAllProblemsAtOnceInOrder(t *testing.T) {
	got := problems(t, `version: 1
providers:
  xai: {keys: [{ref: nonsense}], colour: red}
models:
  m: {endpoints: [{provider: nowhere, model: x}]}
defaults: {baseline: mm}
routes:
  auto: {select: [{candidates: [m, n]}]}
`)
	require.Equal(t, []string{
		"3:22 providers.xai.keys[0].ref BAD_SECRET_REF",
		"3:34 providers.xai.colour UNKNOWN_FIELD",
		"5:30 models.m.endpoints[0].provider UNKNOWN_PROVIDER",
		"6:22 defaults.baseline UNKNOWN_MODEL m",
		"8:36 routes.auto.select[0].candidates[1] UNKNOWN_MODEL",
	}, got)
}

func TestProblemsNeverShowWhatMayBeSecret(t *testing.T) {
	_, err := policy.Compile([]byte("version: 1\nproviders: {xai: {keys: [{ref: sk-hidden}], base_url: \"https://u:hidden@a.example\"}}"), load(t))
	require.Error(t, err)
	require.NotContains(t, err.Error(), "hidden")
}

func TestProblemsNameTheirFile(t *testing.T) {
	ps := policy.Problems{{Path: "a", Line: 3, Column: 7, Code: "C", Message: "m"}, {Path: "b", Line: 4, Column: 1, Code: "D", Message: "n", DidYouMean: "x"}}
	require.Equal(t, "p.yaml:3:7: a: C: m\np.yaml:4:1: b: D: n, did you mean \"x\"?", ps.FormatForFile("p.yaml"))
	require.Equal(t, "3:7: a: C: m\n4:1: b: D: n, did you mean \"x\"?", ps.Error())
}

func TestHostileDocumentsAreRefusedBeforeTheyAreParsed(t *testing.T) {
	for give, code := range map[string]string{
		strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000):    policy.CodeUnsupportedYAML,
		strings.Repeat("{a: ", 20_000) + strings.Repeat("}", 20_000): policy.CodeUnsupportedYAML,
		strings.Repeat("- ", 20_000) + "a":                           policy.CodeUnsupportedYAML,
		strings.Repeat("? ", 20_000) + "a":                           policy.CodeUnsupportedYAML,
		"version: 1 #" + strings.Repeat("x", 600<<10):                policy.CodeTooLarge,
	} {
		_, err := policy.Compile([]byte(give), load(t))
		var ps policy.Problems
		require.ErrorAs(t, err, &ps)
		require.Equal(t, code, ps[0].Code, give[:10])
	}
}

func TestNearest(t *testing.T) {
	known := []string{"tools", "vision", "auto"}
	for give, want := range map[string]string{"tool": "tools", "visoin": "vision", "aut": "auto", "x": "", "": "", "something": ""} {
		require.Equal(t, want, policy.NearestName(give, known), give)
	}
}
