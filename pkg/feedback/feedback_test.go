package feedback_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/feedback"
)

const id = "0198c0de-7d5a-7000-8000-3f0a5e1b2c3d"

func TestParse(t *testing.T) {
	request := uuid.MustParse(id)
	for name, c := range map[string]struct {
		body string
		want []feedback.Item
	}{
		"a verdict": {`{"request_id":"` + id + `","verdict":"up"}`, []feedback.Item{{RequestID: request, Score: 1000, Source: "api"}}},
		"down":      {` {"request_id":"` + id + `","verdict":"down"} `, []feedback.Item{{RequestID: request, Source: "api"}}},
		"all fields": {
			`{"request_id":"` + id + `","score":0.1235,"reason":"wrong","source":"user:ann"}`,
			[]feedback.Item{{RequestID: request, Score: 124, Reason: "wrong", Source: "user:ann"}},
		},
		"a list": {
			`[{"request_id":"` + id + `","score":1},{"request_id":"` + id + `","score":0,"source":"b"}]`,
			[]feedback.Item{{RequestID: request, Score: 1000, Source: "api"}, {RequestID: request, Source: "b"}},
		},
	} {
		got, err := feedback.Parse([]byte(c.body), feedback.DefaultSource)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

func TestParseNamesTheFirstProblem(t *testing.T) {
	good := `{"request_id":"` + id + `","score":1}`
	with := func(fields string) string { return `{"request_id":"` + id + `",` + fields + `}` }
	for name, c := range map[string]struct {
		body  string
		index int
		field string
	}{
		"no id":              {`{"score":1}`, 0, "request_id"},
		"not an id":          {`{"request_id":"x","score":1}`, 0, "request_id"},
		"another version":    {`{"request_id":"0198c0de-7d5a-4000-8000-3f0a5e1b2c3d","score":1}`, 0, "request_id"},
		"upper case":         {`{"request_id":"` + strings.ToUpper(id) + `","score":1}`, 0, "request_id"},
		"no score":           {`{"request_id":"` + id + `"}`, 0, "score"},
		"score below 0":      {with(`"score":-0.01`), 0, "score"},
		"score above 1":      {with(`"score":1.01`), 0, "score"},
		"a text as score":    {with(`"score":"1"`), 0, "score"},
		"unknown verdict":    {with(`"verdict":"good"`), 0, "verdict"},
		"both":               {with(`"verdict":"up","score":1`), 0, "verdict"},
		"unknown field":      {with(`"score":1,"stars":5`), 0, "stars"},
		"long reason":        {with(`"score":1,"reason":"` + strings.Repeat("a", feedback.MaxReason+1) + `"`), 0, "reason"},
		"long source":        {with(`"score":1,"source":"` + strings.Repeat("a", feedback.MaxSource+1) + `"`), 0, "source"},
		"empty source":       {with(`"score":1,"source":""`), 0, "source"},
		"control characters": {with(`"score":1,"source":"a\u0007"`), 0, "source"},
		"reserved source":    {with(`"score":1,"source":"dashboard:ann"`), 0, "source"},
		"reserved signal":    {with(`"score":1,"source":"signal:empty"`), 0, "source"},
		"a field twice":      {with(`"score":1,"score":0`), 0, ""},
		"not an object":      {`"x"`, 0, ""},
		"no JSON":            {`{"request_id":`, 0, ""},
		"nothing":            {``, 0, ""},
		"the second item":    {`[` + good + `,{"request_id":"` + id + `","score":2}]`, 1, "score"},
		"a number in a list": {`[` + good + `,1]`, 1, ""},
		"an empty list":      {`[]`, -1, ""},
		"a broken list":      {`[` + good, -1, ""},
		"too many":           {`[` + strings.Repeat(good+",", feedback.MaxItems) + good + `]`, -1, ""},
	} {
		_, err := feedback.Parse([]byte(c.body), feedback.DefaultSource)
		var p *feedback.Problem
		require.True(t, errors.As(err, &p), name)
		require.Equal(t, c.index, p.Index, fmt.Sprint(name, ": ", p))
		require.Equal(t, c.field, p.Field, fmt.Sprint(name, ": ", p))
		require.NotEmpty(t, p.Error(), name)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`[{"request_id":"` + id + `","score":1}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		items, err := feedback.Parse(body, feedback.DefaultSource)
		if err != nil {
			var p *feedback.Problem
			require.True(t, errors.As(err, &p))
			return
		}
		require.NotEmpty(t, items)
		for _, item := range items {
			require.True(t, item.Score >= 0 && item.Score <= feedback.MaxScore)
			require.NotEmpty(t, item.Source)
		}
	})
}
