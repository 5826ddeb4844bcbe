package usagereport_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

// The usage that each vendor reports, in our price buckets. The same numbers come
// in a plain response, in a stream, and in a collected stream.
func TestUsageOfEveryVendor(t *testing.T) {
	for name, tc := range map[string]struct {
		usage      string
		want       catalog.Usage
		difference int64
		// shown is prompt, completion and total for the client.
		shown [3]int64
	}{
		"openai": {
			`{"prompt_tokens":2006,"completion_tokens":300,"total_tokens":2306,"prompt_tokens_details":{"cached_tokens":1920,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":192,"accepted_prediction_tokens":0}}`,
			catalog.Usage{Input: 86, CacheRead: 1920, Output: 300, Reasoning: 192}, 0, [3]int64{2006, 300, 2306},
		},
		"openai, cache written": {
			`{"prompt_tokens":2006,"completion_tokens":10,"total_tokens":2016,"prompt_tokens_details":{"cached_tokens":1000,"cache_write_tokens":900,"cache_write_1h_tokens":400}}`,
			catalog.Usage{Input: 106, CacheRead: 1000, CacheWrite: 900, CacheWrite1h: 400, Output: 10}, 0, [3]int64{2006, 10, 2016},
		},
		"xai": {
			`{"prompt_tokens":12,"completion_tokens":2,"total_tokens":334,"prompt_tokens_details":{"text_tokens":12,"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":320}}`,
			catalog.Usage{Input: 8, CacheRead: 4, Output: 322, Reasoning: 320}, 0, [3]int64{12, 322, 334},
		},
		"xai, as much cached as thought": {
			`{"prompt_tokens":1000,"completion_tokens":2,"total_tokens":1322,"prompt_tokens_details":{"text_tokens":1000,"cached_tokens":320},"completion_tokens_details":{"reasoning_tokens":320}}`,
			catalog.Usage{Input: 680, CacheRead: 320, Output: 322, Reasoning: 320}, 0, [3]int64{1000, 322, 1322},
		},
		"deepseek": {
			`{"prompt_tokens":339,"completion_tokens":83,"total_tokens":422,"completion_tokens_details":{"reasoning_tokens":39},"prompt_cache_hit_tokens":320,"prompt_cache_miss_tokens":19}`,
			catalog.Usage{Input: 19, CacheRead: 320, Output: 83, Reasoning: 39}, 0, [3]int64{339, 83, 422},
		},
		"groq": {
			`{"queue_time":0.0415,"prompt_tokens":210,"prompt_time":0.01,"completion_tokens":15,"total_tokens":225,"total_time":0.057}`,
			catalog.Usage{Input: 210, Output: 15}, 0, [3]int64{210, 15, 225},
		},
		"moonshot": {
			`{"prompt_tokens":90,"completion_tokens":12,"total_tokens":102,"cached_tokens":64,"completion_tokens_details":{"reasoning_tokens":7}}`,
			catalog.Usage{Input: 26, CacheRead: 64, Output: 12, Reasoning: 7}, 0, [3]int64{90, 12, 102},
		},
		"perplexity": {
			`{"prompt_tokens":19,"completion_tokens":498,"total_tokens":517,"search_context_size":"low","citation_tokens":100,"reasoning_tokens":700,"num_search_queries":2}`,
			catalog.Usage{Input: 119, Output: 1198, Reasoning: 700}, 517 - 1317, [3]int64{119, 1198, 1317},
		},
		"vllm": {
			`{"prompt_tokens":100,"total_tokens":120,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":64,"created_cache_tokens":16}}`,
			catalog.Usage{Input: 20, CacheRead: 64, CacheWrite: 16, Output: 20}, 0, [3]int64{100, 20, 120},
		},
		"the same tokens under several names": {
			`{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"cached_tokens":60,"prompt_cache_hit_tokens":64,"cache_creation_input_tokens":16,` +
				`"prompt_tokens_details":{"cached_tokens":64,"cache_write_tokens":16},"reasoning_tokens":7,"completion_tokens_details":{"reasoning_tokens":7}}`,
			catalog.Usage{Input: 20, CacheRead: 64, CacheWrite: 16, Output: 20, Reasoning: 7}, 0, [3]int64{100, 20, 120},
		},
		"cache beside the prompt": {
			`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":115,"cache_read_input_tokens":60,"cache_creation_input_tokens":40}`,
			catalog.Usage{Input: 10, CacheRead: 60, CacheWrite: 40, Output: 5}, 0, [3]int64{110, 5, 115},
		},
		"a total of its own": {
			`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":22}`,
			catalog.Usage{Input: 10, Output: 5}, 7, [3]int64{10, 5, 15},
		},
		"no total": {
			`{"prompt_tokens":10,"completion_tokens":5}`, catalog.Usage{Input: 10, Output: 5}, 0, [3]int64{10, 5, 15},
		},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(a normalize.Response) {
				require.Equal(t, &tc.want, a.Usage)
				require.Equal(t, tc.difference, a.UsageDiscrepancy)
			}
			shown := `"usage":{"prompt_tokens":` + strconv.FormatInt(tc.shown[0], 10) + `,"completion_tokens":` +
				strconv.FormatInt(tc.shown[1], 10) + `,"total_tokens":` + strconv.FormatInt(tc.shown[2], 10)
			o := normalize.Options{ID: "id", Model: "m"}
			a, err := normalize.Chat([]byte(`{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":`+tc.usage+`}`), o)
			require.NoError(t, err)
			check(a)
			require.Contains(t, string(a.Body), shown)

			for _, event := range []string{
				`{"choices":[],"usage":` + tc.usage + `}`,
				`{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":` + tc.usage + `}]}`,
				`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"1","usage":` + tc.usage + `}}`,
			} {
				s, c := normalize.NewStream(normalize.StreamOptions{ID: "r1", Created: 7, Model: "m", IncludeUsage: true, InputTokens: 9}), normalize.NewCollector(o)
				for _, payload := range []string{`{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}`, event} {
					_, err = s.AppendEvent(nil, []byte(payload))
					require.NoError(t, err)
					require.NoError(t, c.AddEvent([]byte(payload)))
				}
				check(s.ReportedValues())
				last, err := s.Finish(nil)
				require.NoError(t, err)
				require.Contains(t, string(last), shown)
				a, err := c.Response()
				require.NoError(t, err)
				check(a)
				require.Contains(t, string(a.Body), shown)
			}
		})
	}
}

// A reported cost is parsed exactly and rounded to the nano-USD.
func TestReportedCost(t *testing.T) {
	for give, want := range map[string]int64{
		`"cost":0.00014`:                140_000,
		`"cost":1.4e-4`:                 140_000,
		`"cost":0`:                      0,
		`"cost":123456.789012345`:       123_456_789_012_345,
		`"cost":0.0000000005`:           1,
		`"cost":0.00000000049999999999`: 0,
		`"cost_in_usd_ticks":1641500`:   164_150,
		`"cost_in_usd_ticks":5`:         1,
		`"cost":{"input_tokens_cost":0,"total_cost":0.006}`: 6_000_000,
		`"cost":null`:            -1,
		`"cost":"free"`:          -1,
		`"cost":-1`:              -1,
		`"cost":1e300`:           -1,
		`"cost":1e-300`:          -1,
		`"cost":{}`:              -1,
		`"cost_details":{"x":1}`: -1,
	} {
		a, err := normalize.Chat([]byte(`{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":1,"completion_tokens":1,`+give+`}}`), normalize.Options{})
		require.NoError(t, err)
		if want < 0 {
			require.Nil(t, a.ReportedNanoUSD, give)
			continue
		}
		require.NotNil(t, a.ReportedNanoUSD, give)
		require.Equal(t, want, *a.ReportedNanoUSD, give)
	}
}

// An empty or implausible usage object does not hide the usage that the same chunk reports
// elsewhere.
func TestEmptyUsageKeepsTheReportedOne(t *testing.T) {
	const reported = `{"prompt_tokens":9,"completion_tokens":3,"x":1}`
	for _, empty := range []string{`{}`, `null`, `{"x":2}`, `{"prompt_tokens":-1}`, `{"prompt_tokens":null}`} {
		for _, body := range []string{
			`{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop","usage":` + reported + `}],"usage":` + empty + `}`,
			`{"x_groq":{"usage":` + reported + `},"usage":` + empty + `,"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}`,
		} {
			a, err := normalize.Chat([]byte(body), normalize.Options{ID: "r1"})
			require.NoError(t, err)
			require.Equal(t, &catalog.Usage{Input: 9, Output: 3}, a.Usage, body)
			require.Contains(t, string(a.Body), `"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,"x":1}`, body)
		}
	}
}
