package predict

import (
	"math/bits"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/router/internal/features"
)

// textBytes is the name of the only style feature that is not one of package features.
const textBytes = "bytes"

// StyleNames returns the names of the style features: those of package features that are
// amounts, and the size of the text.
func StyleNames() []string {
	names := []string{textBytes}
	for _, name := range features.Names() {
		switch name {
		case "lexical", "language", "language_confidence", "code_language":
		default:
			names = append(names, name)
		}
	}
	return names
}

// StyleOf appends the logarithms of the style features in the order of StyleNames, in units
// of 1/256.
func StyleOf(out []int32, names []string, f decide.NamedValues, text string) []int32 {
	for _, name := range names {
		value := f.GetOrZero(name)
		if name == textBytes {
			value = sizeOf(text)
		}
		out = append(out, log2(value))
	}
	return out
}

// sizeOf returns the bytes of a text without white space.
func sizeOf(text string) (size int64) {
	for i := range len(text) {
		if text[i] > ' ' {
			size++
		}
	}
	return size
}

// log2 returns 256*log2(1+v), linear between the powers of two. It is 0 for v <= 0.
func log2(v int64) int32 {
	if v <= 0 {
		return 0
	}
	n := uint64(v) + 1
	exponent := bits.Len64(n) - 1
	fraction := (n << (63 - exponent) << 1) >> 56
	return int32(exponent)<<8 | int32(fraction) //nolint:gosec // 8 bits each
}
