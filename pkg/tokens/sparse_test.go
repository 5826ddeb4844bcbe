package tokens_test

import (
	"bytes"
	"slices"
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

// headedParts returns parts of a request with dense heads, such as those of files with a path and
// an id.
func headedParts() [][]byte {
	head := []byte(`{"id":"7f3e9c1a-55d0-4b8e-9a2f-0c6d1e8b7a43","p":"/srv/x9/q7_Zk-3.t"}`)
	rest := bytes.Repeat([]byte("The committee then discussed several further questions about the annual report. "), 4<<10/80+1)
	parts := make([][]byte, 100)
	for i := range parts {
		parts[i] = append(slices.Clone(head), rest[i:]...)[:4<<10]
	}
	return parts
}

// The heads of the parts of a long request may be denser than the rest. They count no more than
// their share.
func TestSparseEstimatesDoNotOvercountHeads(t *testing.T) {
	var full, sparse tokens.Milli
	before := 65 << 10
	for _, part := range headedParts() {
		for at := 0; at < len(part); at += 64 {
			full += tokens.EstimateText(part[at:min(at+64, len(part))])
		}
		sparse += tokens.EstimatePart(part, before)
		before += len(part)
	}
	require.InEpsilon(t, float64(full), float64(sparse), 0.15)
}

// BenchmarkSparse estimates the parts of a long request.
func BenchmarkSparse(b *testing.B) {
	parts := headedParts()
	b.SetBytes(int64(len(parts) * len(parts[0])))
	for b.Loop() {
		before := 65 << 10
		for _, part := range parts {
			tokens.EstimatePart(part, before)
			before += len(part)
		}
	}
}
