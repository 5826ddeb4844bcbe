package tokens_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/tokens"
)

// The parts of a long request are sampled less, and so is the rest of a long text. Their estimates
// stay close to those of the same text in short pieces, which are read completely.
func TestSparseEstimatesAreClose(t *testing.T) {
	const piece, part = 500, 4 << 10
	for _, k := range kinds(t) {
		text := bytes.Repeat(k.pieces[0], 300<<10/len(k.pieces[0])+1)[:300<<10]
		var exact, parts tokens.Milli
		for at := 0; at < len(text); at += piece {
			exact += tokens.EstimateText(text[at:min(at+piece, len(text))])
		}
		for at := 0; at < len(text); at += part {
			parts += tokens.EstimatePart(text[at:min(at+part, len(text))], at)
		}
		require.InEpsilon(t, float64(exact), float64(parts), 0.1, k.name)
		require.InEpsilon(t, float64(exact), float64(tokens.EstimateText(text)), 0.1, k.name)
	}
}
