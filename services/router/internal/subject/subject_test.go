package subject_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/router/internal/predict"
	"github.com/signalbox/signalbox/services/router/internal/subject"
)

func load(t testing.TB) *subject.Classifier {
	c, err := subject.Load()
	require.NoError(t, err)
	return c
}

func TestSubjects(t *testing.T) {
	c := load(t)
	for text, want := range map[string]string{
		"Which court hears an appeal against a verdict of a jury, and may the plaintiff submit new evidence under the statute?": "law",
		"What is the kinetic energy of an electron whose velocity is a tenth of the speed of light in a vacuum?":                "physics",
		"In a population in equilibrium, which allele do the offspring of two heterozygous parents inherit?":                    "biology",
		"How many moles of hydrochloric acid neutralise 20 ml of sodium hydroxide solution?":                                    "chemistry",
		"What happens to demand if the price of a substitute rises and the elasticity is high?":                                 "economics",
		"Tom has 3 apples and buys 5 more. How many apples does he have?":                                                       "math",
		"Write a polite reminder to a customer who has not paid yet.":                                                           "",
		"hi": "", "": "", "你好": "",
	} {
		require.Equal(t, want, c.Name(c.Of(predict.Rows(text))), text)
	}
	require.Empty(t, c.Name(-1))
	require.Empty(t, c.Name(99))
}

func TestDamagedFilesAreRejected(t *testing.T) {
	file, err := os.ReadFile("subjects.weights")
	require.NoError(t, err)
	again, err := load(t).Encode()
	require.NoError(t, err)
	require.Equal(t, file, again)
	for _, damaged := range [][]byte{nil, file[:10], file[:30], file[:len(file)-1], append(append([]byte{}, file...), 0)} {
		_, err := subject.Decode(damaged)
		require.Error(t, err)
	}
	wrong := *load(t)
	wrong.Rows = 3
	file, err = wrong.Encode()
	require.NoError(t, err)
	_, err = subject.Decode(file)
	require.ErrorContains(t, err, "wrong sizes")
}

// BenchmarkOf finds the subject of a text of 2 kB.
func BenchmarkOf(b *testing.B) {
	c, rows := load(b), predict.Rows(strings.Repeat("Which court hears an appeal against a verdict of a jury? ", 36))
	text, _ := os.ReadFile("WEIGHTS.md")
	rows = append(rows, predict.Rows(string(text))...)
	b.ReportAllocs()
	for b.Loop() {
		c.Of(rows)
	}
}
