package messages

import (
	"strconv"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// defaultEffort is the effort of a client that turns thinking on without an effort.
const defaultEffort = "medium"

// effortBudgets lists the largest thinking budgets, in tokens, that become an effort. A
// larger budget becomes "high".
var effortBudgets = []struct {
	most   int64
	effort string
}{{2048, "low"}, {12288, "medium"}}

func (t *requestTranslator) readOutputConfig(v []byte) {
	for name, v := range jsonscan.Members(v) {
		switch string(name) {
		case "effort":
			t.effort = v
		case "format":
			t.setFormat(v)
		default:
			if !isEmpty(v) {
				t.reportDropped("output_config." + string(name))
			}
		}
	}
}

// resolveEffort returns the reasoning effort, or "" if the client leaves it to the model.
func (t *requestTranslator) resolveEffort() string {
	kind := stringValue(jsonscan.Member(t.thinking, "type"))
	if kind == "disabled" {
		return "none"
	}
	effort := stringValue(t.effort)
	if effort == "" {
		effort = stringValue(t.messageEffort)
	}
	switch budget := jsonscan.Member(t.thinking, "budget_tokens"); {
	case kind == "enabled" && budget != nil:
		t.reportDropped("thinking.budget_tokens")
		if effort == "" {
			effort = budgetEffort(budget)
		}
	case kind != "" && effort == "":
		effort = defaultEffort
	}
	return effort
}

func budgetEffort(budget []byte) string {
	n, err := strconv.ParseInt(string(budget), 10, 64)
	if err != nil {
		return defaultEffort
	}
	for _, b := range effortBudgets {
		if n <= b.most {
			return b.effort
		}
	}
	return "high"
}

// setFormat translates the format of the output.
func (t *requestTranslator) setFormat(v []byte) {
	schema := jsonscan.Member(v, "schema")
	if stringValue(jsonscan.Member(v, "type")) != "json_schema" || !isObject(schema) {
		t.setError(unsupportedError("output_config.format", `the format must be of type "json_schema" and have a schema`))
		return
	}
	dst := append(t.options, `"response_format":{"type":"json_schema","json_schema":{"name":"response",`...)
	dst = appendMember(dst, "schema", schema)
	if isStrictSchema(schema) {
		dst = append(dst, `"strict":true,`...)
	}
	t.options = closeWith(dst, "}},")
}

func countElements(v []byte) (n int) {
	for range jsonscan.Elements(v) {
		n++
	}
	return n
}
