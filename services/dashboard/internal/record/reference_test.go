package record

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/docsref"
)

// fieldDocs describes the filter fields in the documentation.
var fieldDocs = map[Field]struct{ meaning, example string }{
	ByModel:          {"the model that served the request", "`model:gpt*`"},
	ByRequestedModel: {"the model or route that the client sent", "`requested_model:auto`"},
	ByProvider:       {"the provider that served the request", "`provider:openai`"},
	ByRoute:          {"how the request was served; `*` means any route", "`route:fallback`"},
	ByOutcome:        {"how the request ended", "`-outcome:ok`"},
	ByKey:            {"the key's id or name", "`key:prod-*`"},
	ByStatus:         {"the HTTP status", "`status:>=500`"},
	ByCode:           {"the error code", "`code:PROVIDER_TIMEOUT`"},
	ByProtocol:       {"the wire format in which the client sent the request", "`protocol:messages`"},
	ByAgent:          {"the client program", "`agent:claude-code`"},
	BySession:        {"the session, which groups the requests of one piece of work of an agent", "`session:3f0a5e1b*`"},
	ByUser:           {"the end user that the client named", "`user:ann`"},
	ByTag:            {"a tag of the key", "`tag:prod`"},
	ByRule:           {"the policy rule that decided", "`rule:eu-only`"},
	ByEndpoint:       {"the kind of call, such as `chat` or `embeddings`", "`endpoint:embeddings`"},
	ByMetadata:       {"the value of the request metadata `NAME`", "`meta.team:search`"},
	ByStream:         {"whether the response was streamed", "`stream:true`"},
	ByCost:           {"the cost of all attempts", "`cost:>500u`"},
	BySaved:          {"the baseline's cost minus the cost", "`saved:<0`"},
	ByLatency:        {"the time from the request headers to the last byte", "`latency:>2s`"},
	ByTTFT:           {"the time to the first token", "`ttft:>800ms`"},
	ByGateway:        {"the part of the latency that is not spent in upstream calls", "`gateway:>1ms`"},
	ByTokens:         {"input and output tokens together", "`tokens:>10k`"},
	ByHas:            {"what the record has", "`has:error`"},
	ByIs:             {"what the record is", "`is:unpriced`"},
	ByID:             {"the request id, or the beginning of it, or the client's own id", "`id:0197`"},
}

func TestFilterReferenceIsCurrent(t *testing.T) {
	rows := [][]string{{"field", "matches", "values", "example"}}
	for _, s := range fieldSpecs() {
		doc, ok := fieldDocs[s.field]
		require.True(t, ok, s.field)
		_, err := ParseFilter(strings.Trim(doc.example, "`"))
		require.NoError(t, err, s.field)
		rows = append(rows, []string{"`" + string(s.field) + "`", doc.meaning, describeValues(s), doc.example})
	}
	docsref.Check(t, "reference/filters.md", "filter-fields", docsref.Table(rows))
}

func describeValues(s fieldSpec) string {
	switch {
	case len(s.choices) > 0:
		return "`" + strings.Join(s.choices, "`, `") + "`"
	case len(s.units) > 0:
		var names []string
		for _, u := range s.units {
			if u.name != "" {
				names = append(names, "`"+u.name+"`")
			}
		}
		return "a number; units " + strings.Join(names, ", ")
	}
	return "text; `*` at the end matches any rest"
}
