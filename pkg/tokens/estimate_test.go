package tokens_test

import (
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/tokens"
	"github.com/signalbox/signalbox/pkg/tokens/bpe"
)

//go:embed testdata/*.txt
var texts embed.FS

// kind is a group of texts of one kind, long and short.
type kind struct {
	name   string
	pieces [][]byte
}

// kinds returns the texts of testdata, generated data, and all of them combined.
func kinds(t testing.TB) []kind {
	files, err := texts.ReadDir("testdata")
	require.NoError(t, err)
	var all []kind
	var mixed []byte
	add := func(name string, text []byte) {
		all = append(all, kind{name, pieces(text)})
		mixed = append(mixed, text...)
	}
	for _, f := range files {
		text, err := texts.ReadFile(path.Join("testdata", f.Name()))
		require.NoError(t, err)
		add(strings.TrimSuffix(f.Name(), ".txt"), text)
	}
	noise := make([]byte, 1500)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise)
	add("base64", []byte(base64.StdEncoding.EncodeToString(noise)))
	add("hex", []byte(hex.EncodeToString(noise)))
	add("numbers", numbers())
	return append(all, kind{"mixed", pieces(mixed)})
}

func numbers() (csv []byte) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		csv = fmt.Appendf(csv, "%d,%.2f,%d,2026-%02d-%02d,%.4f\n", r.IntN(100), r.Float64()*1000, r.IntN(1e7), 1+r.IntN(12), 1+r.IntN(28), r.Float64())
	}
	return csv
}

// pieces returns the text, its halves, thirds, quarters, fifths and sixths.
func pieces(text []byte) (all [][]byte) {
	for parts := range 6 {
		for i := range parts + 1 {
			all = append(all, text[edge(text, i, parts+1):edge(text, i+1, parts+1)])
		}
	}
	return all
}

func edge(text []byte, i, parts int) int {
	at := len(text) * i / parts
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// errors holds the relative errors of estimates.
type errors struct {
	bias, mean, p90, worst float64
	bytesPerToken          float64
}

func measure(exact *bpe.Encoding, k kind) (e errors) {
	var off []float64
	for _, p := range k.pieces {
		n := exact.Count(p)
		by := float64(tokens.EstimateText(p).Tokens())/float64(n) - 1
		e.bias += by / float64(len(k.pieces))
		e.mean += math.Abs(by) / float64(len(k.pieces))
		off = append(off, math.Abs(by))
		e.bytesPerToken += float64(len(p)) / float64(n) / float64(len(k.pieces))
	}
	slices.Sort(off)
	e.p90, e.worst = off[len(off)*9/10], off[len(off)-1]
	return e
}

// The limits are far above the measured errors. They detect a scrambled table,
// not one that could be better.
func TestEstimatesAreAccurate(t *testing.T) {
	exact, err := bpe.New("o200k")
	require.NoError(t, err)
	for _, k := range kinds(t) {
		e := measure(exact, kind{k.name, k.pieces[:6]}) // short ones vary more
		require.Less(t, e.mean, 0.2, "%s: %+v", k.name, e)
		require.Less(t, e.worst, 0.3, "%s: %+v", k.name, e)
	}
}

// BenchmarkEstimate reports, for every kind of text, the speed of the estimate and
// its error against o200k, in percent.
func BenchmarkEstimate(b *testing.B) {
	exact, err := bpe.New("o200k")
	require.NoError(b, err)
	for _, k := range kinds(b) {
		e := measure(exact, k)
		text := slices.Repeat(k.pieces[0], 1+(2<<10)/len(k.pieces[0]))[:2<<10]
		b.Run(k.name, func(b *testing.B) {
			for b.Loop() {
				tokens.EstimateText(text)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(text)), "ns/byte")
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(e.bytesPerToken, "bytes/token")
			b.ReportMetric(100*e.bias, "bias%")
			b.ReportMetric(100*e.mean, "mean%")
			b.ReportMetric(100*e.p90, "p90%")
			b.ReportMetric(100*e.worst, "worst%")
		})
	}
}

func BenchmarkLong(b *testing.B) {
	all := kinds(b)
	text := slices.Repeat(all[len(all)-1].pieces[0], 10)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		tokens.EstimateJSON(text)
	}
}
