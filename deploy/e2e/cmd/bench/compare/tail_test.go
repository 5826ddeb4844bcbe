package compare

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/traffic"
)

func TestPrintTail(t *testing.T) {
	var out bytes.Buffer
	b, err := newBench(&out, []string{"-bin", t.TempDir(), "-loads", traffic.LoadSteady, "-peers", nameExplicit})
	require.NoError(t, err)
	var rounds []figures
	for round := range 2 {
		var o traffic.Outcome
		for i := range 500 {
			o.Add(traffic.Timing{Whole: time.Duration(500*round+i+1) * 10 * time.Microsecond}, nil)
		}
		rounds = append(rounds, figures{outcome: o})
	}
	b.results = map[string]map[string][]figures{nameExplicit: {traffic.LoadSteady: rounds}}
	b.printTail()
	require.Regexp(t, `explicit +1000 +5,000 +9,000 +9,900 +9,990 +10,000 +25 +25 +50 +100 +300 +500 +0 +0`, out.String())
}

func TestTheTailIsOmittedWithoutItsLoad(t *testing.T) {
	var out bytes.Buffer
	b, err := newBench(&out, []string{"-bin", t.TempDir(), "-loads", traffic.LoadChat})
	require.NoError(t, err)
	b.printTail()
	require.Empty(t, out.String())
}
