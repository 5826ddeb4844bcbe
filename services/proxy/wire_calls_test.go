package proxy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// Each of these deviations breaks some client. All clients accept index, then id, type and name once,
// then arguments.
func TestWireToolCalls(t *testing.T) {
	w := newWire(t)
	const (
		first  = `{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}}`
		second = `{"index":1,"id":"c2","type":"function","function":{"name":"g","arguments":""}}`
	)
	args := func(i, s string) string { return `{"index":` + i + `,"function":{"arguments":"` + s + `"}}` }
	one := []string{first, args("0", "{"), args("0", "}")}
	two := []string{first, args("0", "{}"), second, args("1", "{}")}
	for _, tt := range []struct {
		name       string
		give, want []string
	}{
		{"as it should be", one, one},
		{"W-32 no index", []string{`{"id":"c1","type":"function","function":{"name":"f","arguments":""}}`, `{"function":{"arguments":"{"}}`, `{"function":{"arguments":"}"}}`}, one},
		{"W-32 null index", []string{`{"index":null,"id":"c1","type":"function","function":{"name":"f","arguments":""}}`, `{"index":null,"function":{"arguments":"{"}}`, `{"index":null,"function":{"arguments":"}"}}`}, one},
		{"W-32 index on the first only", []string{first, `{"function":{"arguments":"{}"}}`, second, `{"function":{"arguments":"{}"}}`}, two},
		{"W-32 no index, two calls", []string{`{"id":"c1","function":{"name":"f","arguments":""}}`, `{"function":{"arguments":"{}"}}`, `{"id":"c2","function":{"name":"g","arguments":""}}`, `{"function":{"arguments":"{}"}}`}, two},
		{"index from 1", []string{strings.Replace(first, `:0,`, `:1,`, 1), args("1", "{}"), strings.Replace(second, `:1,`, `:2,`, 1), args("2", "{}")}, two},
		{"index with a gap", []string{first, args("0", "{}"), strings.Replace(second, `:1,`, `:7,`, 1), args("7", "{}")}, two},
		{"index below zero", []string{strings.Replace(first, `:0,`, `:-1,`, 1), args("-1", "{"), args("-1", "}")}, one},
		{"index as a text", []string{strings.Replace(first, `:0,`, `:"0",`, 1), args(`"0"`, "{"), args(`"0"`, "}")}, one},
		{"one index for all, in one chunk", []string{
			`{"index":0,"id":"c1","function":{"name":"f"}},{"index":0,"id":"c2","function":{"name":"g"}}`, args("0", `{\"a\":`) + "," + args("0", `{\"b\":`), args("0", "1}") + "," + args("0", "2}"),
		}, []string{first + "," + second, args("0", `{\"a\":`) + "," + args("1", `{\"b\":`), args("0", "1}") + "," + args("1", "2}")}},
		{"one index for all", []string{first, args("0", "{}"), strings.Replace(second, `:1,`, `:0,`, 1), args("0", "{}")}, two},
		{"taking turns", []string{first, second, args("1", "{}"), args("0", "{}")}, []string{first, second, args("1", "{}"), args("0", "{}")}},
		{"taking turns by id", []string{strings.Replace(first, `"index":0,`, "", 1), strings.Replace(second, `"index":1,`, "", 1), `{"id":"c1","function":{"arguments":"{}"}}`, `{"id":"c2","function":{"arguments":"{}"}}`},
			[]string{first, second, args("0", "{}"), args("1", "{}")}},
		{"W-33 identity on every fragment", []string{first, `{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{"}}`, `{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"}"}}`}, one},
		{"W-33 empty identity", []string{first, `{"index":0,"id":"","type":"","function":{"name":"","arguments":"{"}}`, `{"index":0,"id":null,"type":null,"function":{"name":null,"arguments":"}"}}`}, one},
		{"W-33 another id on every fragment", []string{first, `{"index":0,"id":"x","function":{"arguments":"{"}}`, `{"index":0,"id":"y","function":{"arguments":"}"}}`}, one},
		{"no type", []string{`{"index":0,"id":"c1","function":{"name":"f","arguments":""}}`, args("0", "{"), args("0", "}")}, one},
		{"name in a later fragment", []string{`{"index":0,"id":"c1","function":{"arguments":""}}`, `{"index":0,"function":{"name":"f","arguments":"{}"}}`},
			[]string{`{"index":0,"id":"c1","type":"function","function":{"arguments":""}}`, `{"index":0,"function":{"name":"f","arguments":"{}"}}`}},
		{"id in a later fragment", []string{`{"index":0,"function":{"name":"f"}}`, `{"index":0,"id":"c1","function":{"arguments":"{}"}}`},
			[]string{`{"index":0,"id":"call_ID_0","type":"function","function":{"name":"f","arguments":""}}`, args("0", "{}")}},
		{"no id, no index, one name", []string{`{"function":{"name":"f","arguments":"{\"a\":1}"}}`, `{"function":{"name":"f","arguments":"{\"a\":2}"}}`},
			[]string{`{"index":0,"id":"call_ID_0","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}`, `{"index":1,"id":"call_ID_1","type":"function","function":{"name":"f","arguments":"{\"a\":2}"}}`}},
		{"arguments as an object", []string{`{"index":0,"id":"c1","function":{"name":"f","arguments":{"a":"\u00e9"}}}`},
			[]string{`{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":\"\\u00e9\"}"}}`}},
		{"vendor members", []string{`{"index":0,"id":"c1","function":{"name":"f","arguments":"{}","x":1},"extra_content":{"y":2}}`},
			[]string{`{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{}","x":1},"extra_content":{"y":2}}`}},
		{"custom tool", []string{`{"index":0,"id":"c1","type":"custom","custom":{"name":"f","input":"a"}}`}, []string{`{"index":0,"id":"c1","type":"custom","custom":{"name":"f","input":"a"}}`}},
		{"several at once", []string{`{"id":"c1","function":{"name":"f"}},{"id":"c2","function":{"name":"g"}}`, `{"function":{"arguments":"{}"}},{"function":{"arguments":"{}"}}`},
			[]string{first + "," + second, args("0", "{}") + "," + args("1", "{}")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := w.in(t)
			events, want := []string{}, frame(roleFirst, "")
			for _, c := range tt.give {
				events = append(events, chunk(`{"content":null,"tool_calls":[`+c+`]}`, "null"))
			}
			for _, c := range tt.want {
				want += delta(`{"tool_calls":[`+c+`]}`, "null")
			}
			a := w.told(scripted.Events(append(events, stop, "[DONE]")...), stream(""))
			require.Equal(t, want+delta(`{}`, `"tool_calls"`)+done, a.body)
		})
	}
}

func TestWireCallsWithoutArguments(t *testing.T) {
	w := newWire(t)
	a := w.told(scripted.Events(chunk(`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"f"}}]}`, "null"), chunk(`{"content":null}`, `"tool_calls"`), "[DONE]"), stream(""))
	require.Equal(t, frame(roleFirst, "")+
		delta(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}}]}`, "null")+
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}`, `"tool_calls"`)+done, a.body)
}

func TestWireCallsAndTheirFinish(t *testing.T) {
	w := newWire(t)
	call := chunk(`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"f","arguments":"{}"}}]}`, "null")
	for give, want := range map[string]string{
		"stop": "tool_calls", "eos": "tool_calls", "tool_use": "tool_calls", "function_call": "tool_calls",
		"length": "length", "content_filter": "content_filter", // W-22
	} {
		a := w.told(scripted.Events(call, chunk(`{}`, `"`+give+`"`), "[DONE]"), stream(""))
		require.True(t, strings.HasSuffix(a.body, delta(`{}`, `"`+want+`"`)+done), a.body)
	}
	a := w.told(scripted.Events(chunk(`{"function_call":{"name":"f","arguments":{"a":1}}}`, "null"), chunk(`{}`, `"stop"`), "[DONE]"), stream(""))
	require.Equal(t, frame(roleFirst, "")+delta(`{"function_call":{"name":"f","arguments":"{\"a\":1}"}}`, "null")+delta(`{}`, `"function_call"`)+done, a.body)
}
