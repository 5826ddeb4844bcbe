package predict

import "math"

// input is a text as a Block reads it.
type input struct {
	rows  []uint16
	idf   []uint8
	norm  int64
	style []int32
}

// newInput prepares the words of a text. norm is the length of the vector of their inverse
// document frequencies, so that long texts weigh as much as short ones.
func newInput(words *wordSet, idf []uint8, style []int32) input {
	sum := int64(0)
	for _, row := range words.rows {
		v := int64(idf[row])
		sum += v * v
	}
	return input{rows: words.rows, idf: idf, norm: max(squareRoot(sum), 1), style: style}
}

func squareRoot(n int64) int64 {
	root := int64(math.Sqrt(float64(n)))
	// The square root of float64 is exact to the last bit, but the conversion may round up.
	for root*root > n {
		root--
	}
	return root
}

// standardise returns a style feature in 1/256 standard deviations, at most 4 of them.
func (b *Block) standardise(j int, value int32) int64 {
	const limit = 4 * 256
	z := (int64(value) - int64(b.Mean[j])) * int64(b.Scale[j]) / 4096
	return min(max(z, -limit), limit)
}

// value returns the value of a head for a text, in units of 1/one.
func (b *Block) value(in *input, head int) int64 {
	h, stride := &b.Heads[head], len(b.Heads)
	words, mask := int64(0), b.Rows-1
	for _, row := range in.rows {
		words += int64(b.Words[(int(row)&mask)*stride+head]) * int64(in.idf[row])
	}
	styles := int64(0)
	for j, value := range in.style {
		styles += int64(b.Styles[j*stride+head]) * b.standardise(j, value)
	}
	return h.Level + (words*h.WordScale/in.norm+styles/256*h.StyleScale)>>16
}
