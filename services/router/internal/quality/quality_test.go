package quality_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/topic"
	"github.com/signalbox/signalbox/services/router/internal/features"
	"github.com/signalbox/signalbox/services/router/internal/quality"
)

func shipped(t testing.TB) *catalog.Catalog {
	cat, err := catalog.Load()
	require.NoError(t, err)
	return cat
}

func model(id string, priors map[string]int64) *policy.Model {
	return &policy.Model{Model: catalog.Model{ID: id, Quality: priors}}
}

func read(text string) decide.NamedValues {
	v := features.NewReader().Read(text)
	return v.AppendTo(nil)
}

func with(f decide.NamedValues, more map[string]int64) decide.NamedValues {
	return decide.AppendMerged(nil, f, decide.NamedValuesFromMap(more))
}

// of returns the prediction for a text and a model with the given prior.
func of(t *testing.T, prior int64, text string) int64 {
	p := quality.NewPriors(shipped(t), nil)
	return p.Predict(nil, read(text), []*policy.Model{model("m", map[string]int64{"general": prior})}).GetOrZero("m")
}

func TestTopics(t *testing.T) {
	for text, want := range map[string]string{
		"":                                          topic.General,
		"Tell me about bees":                        topic.General,
		"```\nx\n```":                               topic.Code,
		"Implement a parser":                        topic.Code,
		`Prove that \sum_i x = \frac{1}{2}`:         topic.Maths,
		"Extract all names":                         topic.Data,
		"Give me the result as JSON":                topic.Data,
		"Translate it into German":                  topic.Language,
		"Warum ist der Himmel blau":                 topic.Language,
		"Which?\nA. x\nB. y\nC. z":                  topic.Reasoning,
		"Write a short poem in exactly 3 sentences": topic.Instructions,
	} {
		require.Equal(t, want, topic.Of(read(text)), text)
	}
	require.Equal(t, topic.Agentic, topic.Of(decide.NamedValuesFromMap(map[string]int64{"tools": 1, "code": 900})))
}

func TestAnEasyRequestBringsModelsTogether(t *testing.T) {
	const hard = "Prove, step by step, that \\sum_{i=1}^{n} i = \\frac{n(n+1)}{2} is not prime for every integer n > 3. Therefore solve x^2 + 3x = 7."
	require.Equal(t, int64(980), of(t, 600, "hi"))
	require.Equal(t, int64(995), of(t, 900, "hi"))
	easy, difficult := of(t, 600, "What is the capital of France?"), of(t, 600, hard)
	require.Greater(t, easy, int64(600))
	require.Less(t, difficult, int64(600))
	require.Less(t, of(t, 900, "hi")-of(t, 600, "hi"), of(t, 900, hard)-of(t, 600, hard))
}

// The last message of a long conversation does not make it easy.
func TestAConversationIsNotItsLastMessage(t *testing.T) {
	p := quality.NewPriors(shipped(t), nil)
	f := read("thanks")
	alone := p.Difficulty(f)
	require.Greater(t, p.Difficulty(with(f, map[string]int64{"turns": 5})), alone)
	require.Greater(t, p.Difficulty(with(f, map[string]int64{"turns": 1, "tools": 3})), alone)
	f = read("Translate it")
	alone = p.Difficulty(f)
	require.Greater(t, p.Difficulty(with(f, map[string]int64{"turns": 2})), alone+100, "more than the turns themselves add")
}

func TestWithoutTheTextThePriorStands(t *testing.T) {
	p := quality.NewPriors(shipped(t), nil)
	got := p.Predict(nil, decide.NamedValuesFromMap(map[string]int64{"turns": 1, "text_bytes": 20}), []*policy.Model{model("m", map[string]int64{"general": 640})})
	require.Equal(t, map[string]int64{"m": 640}, got.ToMap())
}

func TestWhatIsWrittenOfATopicStands(t *testing.T) {
	p := quality.NewPriors(shipped(t), nil)
	f := decide.NamedValuesFromMap(map[string]int64{"fences": 1}) // code, and not easy, as no text was read
	got := p.Predict(nil, f, []*policy.Model{
		model("both", map[string]int64{"general": 700, "code": 500}), model("general", map[string]int64{"general": 700}),
		model("code", map[string]int64{"code": 500}), model("elsewhere", map[string]int64{"math": 500}), model("unrated", nil),
	})
	require.Equal(t, map[string]int64{"both": 500, "general": 700, "code": 500}, got.ToMap())
}

// Figures for agentic tasks are far lower than others. A minimum quality must not
// exclude all models from them.
func TestMeasuredTopicsArePutOnOneScale(t *testing.T) {
	cat := shipped(t)
	p := quality.NewPriors(cat, nil)
	var sum, general, n int64
	for _, e := range cat.Models() {
		if len(e.Quality) < 8 {
			continue
		}
		n++
		general += e.Quality["general"]
		f := decide.NamedValuesFromMap(map[string]int64{"tools": 1})
		sum += p.Predict(nil, f, []*policy.Model{model("m", e.Quality)}).GetOrZero("m")
	}
	require.Positive(t, n)
	require.InDelta(t, general/n, sum/n, 2)
}

func TestABetterPriorNeverPredictsLessNorAHarderRequestMore(t *testing.T) {
	p := quality.NewPriors(shipped(t), nil)
	var requests []decide.NamedValues // from easy to hard
	for words := range int64(60) {
		requests = append(requests, decide.NamedValuesFromMap(map[string]int64{"lexical": 1, "length": 1, "maths": words * 20, "reasoning": words, "latex": words / 20, "code": words * 15}))
	}
	before := make([]int64, 1001)
	for i, f := range requests {
		last := int64(-1)
		for prior := int64(0); prior <= 1000; prior += 7 {
			// The topic changes on the way. One prior for all topics excludes its effect.
			got := p.Predict(nil, f, []*policy.Model{model("m", map[string]int64{"general": prior})}).GetOrZero("m")
			require.GreaterOrEqual(t, got, last)
			require.GreaterOrEqual(t, got, int64(0))
			require.LessOrEqual(t, got, int64(1000))
			if i > 0 {
				require.LessOrEqual(t, got, before[prior], "prior %d, request %d", prior, i)
			}
			before[prior], last = got, got
		}
	}
	require.Less(t, before[700], int64(700), "the last is hard")
}

func TestAbsurdFeaturesStayInBounds(t *testing.T) {
	p := quality.NewPriors(shipped(t), nil)
	for _, v := range []int64{-1 << 63, -1, 1<<63 - 1} {
		f := map[string]int64{"turns": v, "tools": v, "text_bytes": v, "images": v}
		for _, name := range features.Names() {
			f[name] = v
		}
		d := p.Difficulty(decide.NamedValuesFromMap(f))
		require.True(t, d >= -1000 && d <= 1000, d)
	}
	require.Equal(t, p.Difficulty(decide.NamedValuesFromMap(map[string]int64{"maths": 1000})), p.Difficulty(decide.NamedValuesFromMap(map[string]int64{"maths": 1 << 62})))
}

func TestTrivialRequestsSuitEveryModel(t *testing.T) {
	for _, text := range []string{"What is the capital of Australia?", "Tell me a joke", "Wer hat die Zauberflöte komponiert?", "ok"} {
		require.Greater(t, of(t, 550, text), int64(930), text)
	}
	for _, text := range []string{
		"Why is the sky blue?", "Prove Fermat's little theorem.", "Write an operating system.", "What is 12 * 13?", "Fix my Go code.",
		"Which of these two loans is cheaper for me, and what should I ask the bank?",
	} {
		require.Less(t, of(t, 550, text), int64(800), text)
	}
	p := quality.NewPriors(shipped(t), nil)
	easy := read("What is the capital of Australia?")
	require.Greater(t, p.Difficulty(with(easy, map[string]int64{"tools": 2})), p.Difficulty(easy), "with tools it may start a long task")
	require.Greater(t, p.Difficulty(with(easy, map[string]int64{"text_bytes": 7033, "user_bytes": 33})), p.Difficulty(easy), "long instructions can make it hard")
	require.Equal(t, p.Difficulty(easy), p.Difficulty(with(easy, map[string]int64{"text_bytes": 61, "user_bytes": 33})), "short instructions do not")
}

// A text is not harder because material follows on further lines. Code is.
func TestMaterialMakesNoTaskHard(t *testing.T) {
	material := "Summarise this for me.\n\nThe committee met on Tuesday.\nIt talked about the budget.\nNobody objected to the plan."
	require.Greater(t, of(t, 550, material), of(t, 550, "Summarise for me what the committee said on Tuesday when it talked about the budget and why nobody objected to the plan."))
	require.Less(t, of(t, 550, "Fix this function:\n```go\nfunc f(m map[string]int) {\n\tm[\"a\"]++\n}\n```"), of(t, 550, material))
}

func TestVersion(t *testing.T) {
	cat := shipped(t)
	version := quality.NewPriors(cat, nil).Version()
	require.Equal(t, version, quality.NewPriors(cat, nil).Version())
	require.Regexp(t, `^priors-[0-9a-f]{12}$`, version)
}

func BenchmarkPredict(b *testing.B) {
	p, f := quality.NewPriors(shipped(b), nil), read("Extract the names as JSON, and explain why.")
	for _, n := range []int{5, 50} {
		var models []*policy.Model
		for i, e := range shipped(b).Models()[:n] {
			models = append(models, model(fmt.Sprint(i), e.Quality))
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Predict(nil, f, models)
			}
		})
	}
}
