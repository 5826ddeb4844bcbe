package tokens

import (
	"bytes"
	"unicode/utf8"
)

// How much of a text is read. The rest is taken for the same: a long text is
// like its parts, and reading all of it would cost more than parsing it.
const (
	// whole is up to which length all is.
	whole = 512
	// spared is of how many bytes beyond that one is.
	spared = 32
	// block is how many are read in one place, enough for the first of them,
	// which may be in the middle of a word, to matter little.
	block = 64
)

// JSON estimates a piece of JSON, or the inside of one of its strings; escapes
// count as what they stand for.
func JSON(raw []byte) Milli { return estimate(raw, true) }

// Text estimates a text.
func Text(text []byte) Milli { return estimate(text, false) }

func estimate(b []byte, escaped bool) Milli {
	t := text{bytes: b, escaped: escaped}
	if len(b) <= whole {
		t.read(0, len(b))
		return t.sum
	}
	places := (whole + (len(b)-whole)/spared) / block
	each := len(b) / places
	for i := range places {
		at := i*each + scattered(i, each-block)
		t.read(at, at+block)
	}
	return Milli(float64(t.sum) * float64(len(b)) / float64(t.seen))
}

// scattered is a number below most, another for each i. Places at equal distances
// would all be the same line of a table.
func scattered(i, most int) int {
	const golden = 2654435769 // the golden section of 1<<32
	return int(uint64(uint32(i)*golden) * uint64(most) >> 32)
}

// text is one that is being read.
type text struct {
	bytes   []byte
	escaped bool
	sum     Milli
	// seen is how many bytes have been read.
	seen int
	// last is the class of the byte before.
	last uint
}

// read reads from a place to another, or a little beyond, to the end of an
// escape.
func (t *text) read(from, to int) {
	from = t.begin(from)
	at := from
	for at < to {
		run := t.bytes[at:to]
		slash := -1
		if t.escaped {
			slash = bytes.IndexByte(run, '\\')
		}
		if slash < 0 {
			t.weigh(run)
			at = to
			break
		}
		t.weigh(run[:slash])
		at += slash
		at += t.unescape(t.bytes[at:])
	}
	t.seen += at - from
}

// begin looks at what is before a place, and moves it behind an escape that it
// is within.
func (t *text) begin(at int) int {
	t.last = uint(line)
	if at == 0 {
		return 0
	}
	t.last = uint(classes[t.bytes[at-1]])
	if !t.escaped {
		return at
	}
	slash := bytes.LastIndexByte(t.bytes[max(0, at-escape):at], '\\')
	if slash < 0 {
		return at
	}
	slash += max(0, at-escape)
	r, n := decode(t.bytes[slash:])
	if slash+n < at {
		return at
	}
	var last [utf8.UTFMax]byte
	t.last = uint(classes[last[utf8.EncodeRune(last[:], r)-1]])
	return slash + n
}

// weigh adds what the bytes cost. No byte waits for the one before: the class of
// that is looked up, not computed.
func (t *text) weigh(b []byte) {
	last, sum := t.last, uint64(0)
	for _, c := range b {
		next := uint(classes[c])
		sum += uint64(costs[(last*row|next)%(row*row)])
		last = next
	}
	t.last = last
	t.sum += Milli(sum)
}

// unescape weighs what the escape that b begins with stands for, and returns its
// length.
func (t *text) unescape(b []byte) int {
	var plain [utf8.UTFMax]byte
	r, n := decode(b)
	t.weigh(plain[:utf8.EncodeRune(plain[:], r)])
	return n
}
