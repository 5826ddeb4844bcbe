package requestbody_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

// manyCalls is so large that comparing each result with each call takes many seconds.
const manyCalls = 30_000

// repeated returns the format for each number, with commas in between.
func repeated(format string, numbers ...int) string {
	var b strings.Builder
	for i, n := range numbers {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, format, n)
	}
	return b.String()
}

func upTo(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

func TestManyAnthropicCalls(t *testing.T) {
	const call, result = `{"type":"tool_use","id":"i%d","name":"f","input":{}}`, `{"type":"tool_result","tool_use_id":"\u0069%d","content":"x"}`
	parse := func(turns ...string) error {
		body := `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"}` + strings.Join(turns, "") + `]}`
		_, err := requestbody.ParseMessages([]byte(body))
		return err
	}
	model := func(numbers ...int) string {
		return `,{"role":"assistant","content":[` + repeated(call, numbers...) + `]}`
	}
	user := func(numbers ...int) string {
		return `,{"role":"user","content":[` + repeated(result, numbers...) + `]}`
	}
	all := upTo(manyCalls)
	require.NoError(t, parse(model(all...), user(all...)))
	require.NoError(t, parse(model(all[:50]...), user(7), model(all[50:99]...), user(all[50:99]...)))
	require.NoError(t, parse(model(all[:40]...), model(all[40:80]...), user(all[:80]...)), "two messages are one turn")
	err := parse(model(all[:50]...), user(all[:51]...))
	require.Equal(t, "messages[2].content[50].tool_use_id", apperr.From(err).Details["param"])
	err = parse(model(all[:50]...), user(7), model(all[50:99]...), user(7))
	require.Equal(t, "messages[4].content[0].tool_use_id", apperr.From(err).Details["param"], "a call of an earlier turn")
}

func TestManyGeminiCalls(t *testing.T) {
	parse := func(calls, responses string) error {
		body := `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[` + calls + `]},{"role":"user","parts":[` + responses + `]}]}`
		_, err := requestbody.ParseGenerateContent([]byte(body), "m", false)
		return err
	}
	const named, response = `{"functionCall":{"name":"f%d"}}`, `{"functionResponse":{"name":"\u0066%d","response":{}}}`
	const withID, idResponse = `{"functionCall":{"name":"f","id":"i%d"}}`, `{"functionResponse":{"name":"f","id":"i%d","response":{}}}`
	all := upTo(manyCalls)
	require.NoError(t, parse(repeated(named, all...), repeated(response, all...)))
	require.NoError(t, parse(repeated(withID, all...), repeated(idResponse, all...)))
	for name, tc := range map[string]struct {
		calls, responses string
		fails            int
	}{
		"an id that the client invented": {repeated(named, all[:40]...), repeated(`{"functionResponse":{"name":"f%d","id":"x","response":{}}}`, all[:41]...), 40},
		"responses without an id":        {repeated(withID, all[:40]...), repeated(`{"functionResponse":{"name":"f","response":{"n":%d}}}`, all[:41]...), 40},
		"another id":                     {repeated(withID, all[:40]...), repeated(idResponse, all[1:41]...), 39},
		"the same id twice":              {repeated(withID, all[:40]...), repeated(idResponse, 3, 4, 3), 2},
		"by name after the id":           {repeated(withID, all[:40]...), repeated(idResponse, all[:40]...) + `,{"functionResponse":{"name":"f","response":{}}}`, 40},
	} {
		err := parse(tc.calls, tc.responses)
		require.Equal(t, fmt.Sprintf("contents[2].parts[%d].functionResponse", tc.fails), apperr.From(err).Details["param"], name)
	}
}
