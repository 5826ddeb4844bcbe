package policytests_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/policytests"
)

const head = `version: 1
providers:
  us: {kind: sandbox, tags: [us]}
  eu: {kind: sandbox, tags: [eu]}
models:
  small: {endpoints: [{provider: us, model: s}, {provider: eu, model: s}], price: {input: "0.1", output: "0.4"}, context: 32000, capabilities: [tools], quality: {general: 0.8}}
  large: {endpoints: [{provider: us, model: l}], price: {input: "5", output: "20"}, context: 200000, capabilities: [tools, json_schema, vision], quality: {general: 0.9}}
  clever: {endpoints: [{provider: us, model: c}], efforts: [low, high], price: {input: "5", output: "20"}}
  embed: {kind: embeddings, endpoints: [{provider: us, model: e}], price: {input: "0.02"}}
defaults: {baseline: large, embedding_baseline: embed}
routes:
  auto-embed: {kind: embeddings, select: [{target: embed}], tests: [{name: vectors, request: {input: [a, b]}, expect: {model: embed}}]}
  auto:
    select:
      - {name: legal, when: {key.tag: legal}, target: large}
      - {name: eu-only, when: {key.tag: eu}, require: [{provider.tag: eu}]}
      - {name: save, when: {budget.used_percent: {gte: 95}}, target: small}
      - {name: night, when: {request.metadata.purpose: batch, time.utc: "08:00-18:00"}, deny: "at night"}
      - {name: code, when: {feature.code: true}, target: large}
      - {name: long, when: {request.tokens: {gte: 1000}}, target: large}
      - {name: many, when: {feature.turns: {gte: 2}, request.stream: true}, target: large}
      - {name: think, when: {key.tag: think}, target: clever#low}
      - {name: rest, candidates: [small, large]}
    on_failure: [large]
    tests:
`

// run compiles a policy with these tests of its route auto, one per line, and runs
// them.
func run(t testing.TB, tests ...string) policytests.Result {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	document := []byte(head + "      - " + strings.Join(tests, "\n      - ") + "\n")
	p, err := policy.Compile(document, cat)
	require.NoError(t, err)
	return policytests.NewRunner(cat)(document, p)
}

func TestTestsThatHold(t *testing.T) {
	hold := map[string]string{
		"plain":          `request: {messages: [{role: user, content: hi}]}, expect: {model: small, provider: us, route: expected, reason: FIRST_ELIGIBLE, rule: rest}`,
		"tag":            `request: {messages: [{role: user, content: hi}]}, key: {tags: [legal]}, expect: {model: large, route: policy, reason: RULE_TARGET, rule: legal}`,
		"residency":      `request: {messages: [{role: user, content: hi}]}, key: {tags: [eu]}, expect: {model: small, provider: eu, route: policy, rule: eu-only}`,
		"effort":         `request: {messages: [{role: user, content: hi}]}, key: {tags: [think]}, expect: {model: clever#low}`,
		"any effort":     `request: {messages: [{role: user, content: hi}]}, key: {tags: [think]}, expect: {model: clever}`,
		"own effort":     `request: {reasoning_effort: high, messages: [{role: user, content: hi}]}, key: {tags: [think]}, expect: {model: clever, rule: think}`,
		"budget":         `request: {messages: [{role: user, content: hi}]}, budget_used: 96.5, expect: {rule: save}`,
		"budget left":    `request: {messages: [{role: user, content: hi}]}, budget_used: 94.9, expect: {rule: rest}`,
		"by day":         `request: {metadata: {purpose: batch}, messages: [{role: user, content: hi}]}, at: "2026-11-16T09:00:00Z", expect: {code: POLICY_DENIED, rule: night}`,
		"by night":       `request: {metadata: {purpose: batch}, messages: [{role: user, content: hi}]}, at: "2026-11-16T22:00:00Z", expect: {model: small}`,
		"no time":        `request: {metadata: {purpose: batch}, messages: [{role: user, content: hi}]}, expect: {model: small}`,
		"down":           `request: {messages: [{role: user, content: hi}]}, down: [small], expect: {model: large, route: fallback}`,
		"one place down": `request: {messages: [{role: user, content: hi}]}, down: [small@us], expect: {model: small, provider: eu, route: fallback}`,
		"vision":         `request: {messages: [{role: user, content: [{type: text, text: what}, {type: image_url, image_url: {url: "https://a.example/b.png"}}]}]}, expect: {model: large}`,
		"schema":         `request: {response_format: {type: json_schema, json_schema: {name: a}}, messages: [{role: user, content: hi}]}, expect: {model: large}`,
		"features":       `request: {messages: [{role: user, content: "Why does this fail?\n` + "```go\\nfunc main() { return 1 }\\n```" + `"}]}, expect: {model: large, rule: code}`,
		"turns":          `request: {stream: true, messages: [{role: user, content: a}, {role: assistant, content: b}, {role: user, content: c}]}, expect: {rule: many}`,
		"no stream":      `request: {messages: [{role: user, content: a}, {role: assistant, content: b}, {role: user, content: c}]}, expect: {rule: rest}`,
		"long":           `request: {messages: [{role: user, content: "` + strings.Repeat("all of the words ", 300) + `"}]}, expect: {rule: long}`,
		"explicit":       `request: {model: large, messages: [{role: user, content: hi}]}, expect: {model: large, reason: EXPLICIT_MODEL}`,
		"not allowed":    `request: {model: large, messages: [{role: user, content: hi}]}, key: {models: [small]}, expect: {code: MODEL_NOT_ALLOWED}`,
		"no such model":  `request: {model: lrge, messages: [{role: user, content: hi}]}, expect: {code: MODEL_NOT_FOUND}`,
		"no messages":    `request: {messages: []}, expect: {code: INVALID_REQUEST}`,
		"no role":        `request: {messages: [{content: hi}]}, expect: {code: INVALID_REQUEST}`,
		"too long":       `request: {max_tokens: 900000, messages: [{role: user, content: hi}]}, expect: {code: CONTEXT_LENGTH_EXCEEDED}`,
	}
	for name, test := range hold {
		t.Run(name, func(t *testing.T) {
			r := run(t, fmt.Sprintf("{name: %s, %s}", name, test))
			require.Empty(t, r.Failed)
			require.Equal(t, 2, r.Ran, "the one of the other route runs, too")
		})
	}
}

func TestATestThatFailsIsNamedWithItsPlace(t *testing.T) {
	r := run(t,
		`{name: holds, request: {messages: [{role: user, content: hi}]}, expect: {model: small}}`,
		`{name: greetings, request: {messages: [{role: user, content: hi}]}, expect: {model: large, provider: us, route: policy}}`,
		`{name: denied, request: {messages: [{role: user, content: hi}]}, expect: {code: POLICY_DENIED}}`,
		`{name: served, request: {model: lrge, messages: [{role: user, content: hi}]}, expect: {model: large}}`)
	require.Equal(t, 5, r.Ran)
	require.Len(t, r.Failed, 3)
	first := r.Failed[0]
	require.Equal(t, strings.Count(head, "\n")+2, first.Line)
	require.Equal(t, 10, first.Column)
	require.Equal(t, "routes.auto.tests[1]", first.Path)
	require.Equal(t, policytests.CodeFailed, first.Code)
	require.Contains(t, first.Message, `"greetings": want model large, route policy; got model small, provider us, route expected`)
	require.Contains(t, r.Failed[1].Message, "want code POLICY_DENIED; got model small")
	require.Contains(t, r.Failed[2].Message, "want model large; got code MODEL_NOT_FOUND")
}

func TestInvalidBodiesAreExplained(t *testing.T) {
	for request, want := range map[string]string{
		`{}`:                                     "code INVALID_REQUEST: the request body is not valid: messages is missing",
		`{input: hi}`:                            "the body looks like a request of the Responses API",
		`{messages: hi}`:                         "messages must be an array",
		`{messages: [hi]}`:                       "messages[0] must be an object",
		`{messages: [{content: hi}]}`:            "messages[0].role must be a non-empty string",
		`{messages: [{role: user, content: 5}]}`: "messages[0].content must be a string, null or an array of parts",
		`{model: "", messages: [{role: user, content: hi}]}`:             "model must be a non-empty string",
		`{max_tokens: 0, messages: [{role: user, content: hi}]}`:         "max_tokens must be an integer of at least 1",
		`{stream: "yes", messages: [{role: user, content: hi}]}`:         "stream must be true or false",
		`{temperature: 3, messages: [{role: user, content: hi}]}`:        "temperature must be from 0 to 2",
		`{Tools: [], messages: [{role: user, content: hi}]}`:             `Tools must be spelled "tools"`,
		`{tools: [search], messages: [{role: user, content: hi}]}`:       "tools[0] must be an object",
		`{response_format: json, messages: [{role: user, content: hi}]}`: "response_format must be an object",
	} {
		r := run(t, fmt.Sprintf("{name: a, request: %s, expect: {model: small}}", request))
		require.Len(t, r.Failed, 1, request)
		require.Contains(t, r.Failed[0].Message, "want model small; got code INVALID_", request)
		require.Contains(t, r.Failed[0].Message, want, request)
	}
}

// The limit of the rule "long" is 1,000 tokens. The bodies are short enough, in bytes, to
// stay below it if every four bytes were one token.
func TestTokensAreEstimatedLikeInTheProxy(t *testing.T) {
	r := run(t,
		`{name: digits, request: {messages: [{role: user, content: "`+strings.Repeat("7 4 1 ", 400)+`"}]}, expect: {rule: long}}`,
		`{name: prose, request: {messages: [{role: user, content: "`+strings.Repeat("all of the words ", 140)+`"}]}, expect: {rule: rest}}`)
	require.Empty(t, r.Failed)
}

func TestAThousandTests(t *testing.T) {
	var all []string
	for i := range 1000 {
		all = append(all, fmt.Sprintf(`{name: t%d, request: {messages: [{role: user, content: "question %d about the weather"}]}, expect: {model: small}}`, i, i))
	}
	r := run(t, all...)
	require.Equal(t, 1001, r.Ran)
	require.Empty(t, r.Failed)
}

func BenchmarkThousandTests(b *testing.B) {
	all := make([]string, 1000)
	for i := range all {
		all[i] = fmt.Sprintf(`{name: t%d, request: {messages: [{role: user, content: "question %d about the weather"}]}, expect: {model: small}}`, i, i)
	}
	for b.Loop() {
		run(b, all...)
	}
}
