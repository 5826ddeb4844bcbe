package predict_test

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/router/internal/features"
	"github.com/signalbox/signalbox/services/router/internal/predict"
)

func load(t testing.TB) *predict.Predictor {
	p, err := predict.Load()
	require.NoError(t, err)
	return p
}

// read returns the learned features of a text.
func read(t testing.TB, text string) decide.NamedValues {
	v := features.NewReader().Read(text)
	return load(t).AppendFeatures(v.AppendTo(nil), &predict.Scratch{}, text)
}

const (
	apples = "Tom has 3 apples and buys 5 more. He gives 2 of them to Ann and eats one. How many apples does he have left?"
	primes = "Find the number of positive integers $n \\le 1000$ such that $n^2+n+1$ is divisible by $7$."
	gases  = "Which of the following is a noble gas?\nA. Oxygen\nB. Argon\nC. Nitrogen\nD. Chlorine\nAnswer:"
)

func TestTextsFindTheirCollection(t *testing.T) {
	names := load(t).CollectionNames()
	for text, name := range map[string]string{apples: "grade-school mathematics", primes: "competition mathematics", gases: "general knowledge questions"} {
		f := read(t, text)
		require.Equal(t, int64(predict.Inside), f.GetOrZero(predict.FeatureSimilarity), text)
		require.Equal(t, name, names[f.GetOrZero(predict.FeatureCollection)-1], text)
	}
}

func TestOtherTextsAreOutside(t *testing.T) {
	for _, text := range []string{
		"", "hi", "Write a polite reminder to a customer who has not paid yet.",
		"Please plan a birthday party for six children who like dinosaurs.",
		"panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:12 +0x1d",
	} {
		require.Zero(t, read(t, text).GetOrZero(predict.FeatureSimilarity), text)
	}
}

// Exact match with a reference does not say how good a response is.
func TestStrictCollectionsSayNothingAboutTheLevel(t *testing.T) {
	require.Zero(t, read(t, "Who wrote the novel Dracula?").GetOrZero(predict.FeatureCollection))
}

func TestAnAblerModelIsAtLeastAsProbable(t *testing.T) {
	p := load(t)
	for _, text := range []string{apples, primes, gases} {
		f, before := read(t, text), int64(-1)
		for ability := int64(0); ability <= 1000; ability += 50 {
			probability, _ := p.FromFeatures(f, ability)
			require.GreaterOrEqual(t, probability, before)
			before = probability
		}
		require.Greater(t, before, int64(900))
	}
}

// What a record holds is enough to predict again. Values that no reading gives do not
// panic.
func TestFeaturesAreEnough(t *testing.T) {
	p := load(t)
	probability, similarity := p.FromFeatures(read(t, primes), 400)
	require.Equal(t, int64(predict.Inside), similarity)
	require.InDelta(t, 550, probability, 200)
	for _, kind := range []int64{-5, 0, 99} {
		_, similarity := p.FromFeatures(decide.NamedValuesFromMap(map[string]int64{predict.FeatureCollection: kind, predict.FeatureSimilarity: 1000}), 400)
		require.Zero(t, similarity)
	}
	probability, similarity = p.FromFeatures(decide.NamedValuesFromMap(map[string]int64{predict.FeatureCollection: 1, predict.FeatureSimilarity: 1 << 60, predict.FeatureEase: -1 << 60}), 1<<60)
	require.Equal(t, int64(predict.Inside), similarity)
	require.GreaterOrEqual(t, probability, int64(0))
}

// Case, white space and other numbers leave the words as they are.
func TestWords(t *testing.T) {
	require.Equal(t, predict.Rows("Two Trains, 125 km!"), predict.Rows("two   trains 340\nKM"))
	require.NotEqual(t, predict.Rows("two trains"), predict.Rows("two planes"))
	require.Len(t, predict.Rows("a a a b"), 2)
	require.Len(t, predict.Rows("你好"), 3, "two letters and their pair")
	require.Len(t, predict.Rows(strings.Repeat("\xff\xfe ", 10)), 0)
}

func TestNamesOfModels(t *testing.T) {
	require.Equal(t, predict.Normalise("meta-llama/Meta-Llama-3.1-8B-Instruct"), predict.Normalise("Llama-3_1-8B-Instruct@host"))
	require.Positive(t, load(t).Lookup("openai/gpt4_1106_preview"))
	require.Equal(t, -1, load(t).Lookup("gpt-6.1-terra"))
}

func TestDamagedWeightsAreRejected(t *testing.T) {
	file, err := os.ReadFile("learned.weights")
	require.NoError(t, err)
	require.Less(t, len(file), 6_000_000)
	for _, damaged := range [][]byte{nil, file[:10], file[:22], file[:5000], file[:len(file)-1], append(append([]byte{}, file...), 0)} {
		_, err := predict.New(damaged)
		require.Error(t, err)
	}
	w, version, err := predict.Decode(file)
	require.NoError(t, err)
	require.Equal(t, load(t).Version(), version)
	again, err := w.Encode()
	require.NoError(t, err)
	require.Equal(t, file, again)
	w.Collections[0].Heads.Rows = 3
	again, err = w.Encode()
	require.NoError(t, err)
	_, err = predict.New(again)
	require.ErrorContains(t, err, "power of two")
}

// reverseCollections returns the same weights with the collections in another order.
func reverseCollections(w *predict.Weights) {
	slices.Reverse(w.Collections)
	m, n := &w.Membership, len(w.Collections)
	slices.Reverse(m.Heads[:n])
	for row := range m.Rows {
		slices.Reverse(m.Words[row*(n+1) : row*(n+1)+n])
	}
	for j := range m.Mean {
		slices.Reverse(m.Styles[j*(n+1) : j*(n+1)+n])
	}
}

// A recorded number means the same kind of text after the weights were learned anew.
func TestTheOrderOfCollectionsDoesNotMatter(t *testing.T) {
	file, err := os.ReadFile("learned.weights")
	require.NoError(t, err)
	w, _, err := predict.Decode(file)
	require.NoError(t, err)
	reverseCollections(w)
	reversed := predict.FromWeights(w, "reversed")
	require.Equal(t, load(t).CollectionNames(), reversed.CollectionNames())
	for _, text := range []string{apples, primes, gases} {
		v := features.NewReader().Read(text)
		f := reversed.AppendFeatures(v.AppendTo(nil), &predict.Scratch{}, text)
		require.Equal(t, read(t, text), f)
		a, _ := load(t).FromFeatures(f, 400)
		b, _ := reversed.FromFeatures(f, 400)
		require.Equal(t, a, b)
	}
}

// A polite request gets the prediction of the plain one.
func TestCourtesyChangesNothing(t *testing.T) {
	for _, text := range []string{apples, primes, gases} {
		plain, polite := read(t, text), read(t, "Hi! Could you please help me with this? "+text+"\n\nThanks in advance!")
		for _, name := range []string{predict.FeatureSimilarity, predict.FeatureCollection, predict.FeatureEase} {
			require.Equal(t, plain.GetOrZero(name), polite.GetOrZero(name), text)
		}
	}
}

// The weights take little of the 16 MiB that the router may grow by.
func TestWeightsNeedLittleMemory(t *testing.T) {
	file, err := os.ReadFile("learned.weights")
	require.NoError(t, err)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	p, err := predict.New(file)
	require.NoError(t, err)
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(8<<20)) //nolint:gosec // small
	runtime.KeepAlive(p)
}
