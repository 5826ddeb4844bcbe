package tokens

import (
	"bytes"
	"unicode/utf8"
)

// A long text is sampled. Reading every byte would take longer than parsing the request,
// and the parts of a text are usually alike.
const (
	// maxFullRead is the length in bytes up to which a text is read completely.
	maxFullRead = 512
	// sampleRatio is the sampling rate of the text beyond maxFullRead: one in sampleRatio
	// bytes is read.
	sampleRatio = 32
	// maxDense is the length in bytes of a request's text from which on sampling is sparse: one in
	// sparseRatio bytes is read. Until then, enough is known about the text.
	maxDense    = 64 << 10
	sparseRatio = 128
	// sparseFullRead replaces maxFullRead for the parts of a request after maxDense bytes. A
	// longer part has at least four samples.
	sparseFullRead = 4 * sampleSize
	// sampleSize is the length of one sample in bytes. It is long enough that starting in
	// the middle of a word hardly matters.
	sampleSize = 64
)

// EstimateJSON estimates the tokens of a JSON value, or of the content of a JSON
// string. Escapes count as the characters that they stand for.
func EstimateJSON(raw []byte) Milli { return estimateTokens(raw, true, 0) }

// EstimatePart is like EstimateJSON for one of many texts of a request, of which before bytes
// precede it. The parts of a long request are sampled less.
func EstimatePart(raw []byte, before int) Milli { return estimateTokens(raw, true, before) }

// EstimateText estimates the tokens of plain text.
func EstimateText(text []byte) Milli { return estimateTokens(text, false, 0) }

func estimateTokens(b []byte, escaped bool, before int) Milli {
	t := estimator{bytes: b, escaped: escaped}
	read := bytesToRead(len(b), before)
	if read == len(b) {
		t.addRange(0, len(b))
		return t.sum
	}
	// The order of the parts of a short request changes no estimate.
	seed := 0
	if before > maxDense {
		seed = before
	}
	samples := read / sampleSize
	interval := len(b) / samples
	for i := range samples {
		at := i*interval + scatterOffset(seed+i, interval-sampleSize)
		t.addRange(at, at+sampleSize)
	}
	return Milli(float64(t.sum) * float64(len(b)) / float64(t.seen))
}

// bytesToRead returns how many of n bytes are read.
func bytesToRead(n, before int) int {
	full, dense := maxFullRead, maxDense
	if before > maxDense {
		full, dense = sparseFullRead, sparseFullRead
	}
	if n <= full {
		return n
	}
	return full + (min(n, dense)-full)/sampleRatio + max(0, n-dense)/sparseRatio
}

// scatterOffset returns a pseudo-random number below limit. If samples had equal distances, all
// of them could hit the same column of a table. In a long request, the seed of a part's first
// sample is the number of bytes before the part. Otherwise one of its few samples would always
// hit its head, which is often denser than the rest.
func scatterOffset(seed, limit int) int {
	const golden = 2654435769 // 1<<32 divided by the golden ratio
	return int(uint64(uint32(seed)*golden) * uint64(limit) >> 32)
}

// estimator sums the cost of the bytes of one text.
type estimator struct {
	bytes   []byte
	escaped bool
	sum     Milli
	// seen is the number of bytes read so far.
	seen int
	// lastClass is the class of the previous byte.
	lastClass uint
}

// addRange adds the cost of the bytes in [from, to). An escape that starts in this range
// is read to its end.
func (t *estimator) addRange(from, to int) {
	from = t.alignStart(from)
	end := to
	if t.escaped {
		end = t.addEscaped(from, to)
	} else {
		t.addBytes(t.bytes[from:to])
	}
	t.seen += end - from
}

// addEscaped adds the cost of the bytes in [at, to) and of the escapes that start there. It
// returns the end of the last one. Source code has many two-byte escapes, so their classes are
// looked up like those of other bytes.
func (t *estimator) addEscaped(at, to int) int {
	b, last, sum := t.bytes, t.lastClass, uint64(0)
	for at < to {
		c := b[at]
		at++
		if c == '\\' {
			if at == len(b) || shortEscapes[b[at]] == 0 {
				t.lastClass, t.sum = last, t.sum+Milli(sum)
				at += t.addEscape(b[at-1:]) - 1
				last, sum = t.lastClass, 0
				continue
			}
			c = byte(shortEscapes[b[at]])
			at++
		}
		next := uint(classByByte[c])
		sum += uint64(pairCosts[(last*rowStride|next)%(rowStride*rowStride)])
		last = next
	}
	t.lastClass, t.sum = last, t.sum+Milli(sum)
	return at
}

// alignStart sets lastClass for a range that starts at offset at. It returns at, or the
// offset after the escape if at is inside an escape.
func (t *estimator) alignStart(at int) int {
	t.lastClass = uint(line)
	if at == 0 {
		return 0
	}
	t.lastClass = uint(classByByte[t.bytes[at-1]])
	if !t.escaped {
		return at
	}
	slash := bytes.LastIndexByte(t.bytes[max(0, at-unicodeEscapeLen):at], '\\')
	if slash < 0 {
		return at
	}
	slash += max(0, at-unicodeEscapeLen)
	r, n := decodeEscape(t.bytes[slash:])
	if slash+n < at {
		return at
	}
	var last [utf8.UTFMax]byte
	t.lastClass = uint(classByByte[last[utf8.EncodeRune(last[:], r)-1]])
	return slash + n
}

// addBytes adds the cost of b. It looks up classes in a table instead of branching, so
// that the CPU can overlap the iterations.
func (t *estimator) addBytes(b []byte) {
	last, sum := t.lastClass, uint64(0)
	for _, c := range b {
		next := uint(classByByte[c])
		sum += uint64(pairCosts[(last*rowStride|next)%(rowStride*rowStride)])
		last = next
	}
	t.lastClass = last
	t.sum += Milli(sum)
}

// addEscape adds the cost of the character that the escape at the start of b
// stands for, and returns the length of the escape.
func (t *estimator) addEscape(b []byte) int {
	var plain [utf8.UTFMax]byte
	r, n := decodeEscape(b)
	t.addBytes(plain[:utf8.EncodeRune(plain[:], r)])
	return n
}
