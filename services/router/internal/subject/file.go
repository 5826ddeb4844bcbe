package subject

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

const magic = "signalbox-subjects-1\n"

// wordRows is the number of word rows of package predict.
const wordRows = 1 << 15

// Encode returns the classifier as a file: a line with the format, the length of a JSON
// header, the header, IDF and Words.
func (c *Classifier) Encode() ([]byte, error) {
	header, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode the header: %w", err)
	}
	out := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(header))) //nolint:gosec // small
	out = append(append(out, header...), c.IDF...)
	for _, w := range c.Words {
		out = append(out, byte(w)) //nolint:gosec // the same bits
	}
	return out, nil
}

// Decode reads a file that Encode made.
func Decode(file []byte) (*Classifier, error) {
	start := len(magic) + 4
	if len(file) < start || string(file[:len(magic)]) != magic {
		return nil, errors.New("not a file of subjects of this version")
	}
	size := int(binary.LittleEndian.Uint32(file[len(magic):]))
	if size > len(file)-start {
		return nil, errTruncated
	}
	c := &Classifier{}
	if err := json.Unmarshal(file[start:start+size], c); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	n := len(c.Names) + 1
	if n < 2 || n > maxSubjects+1 || len(c.Levels) != n || len(c.Scales) != n || c.Rows <= 0 || c.Rows > wordRows || c.Rows&(c.Rows-1) != 0 {
		return nil, errors.New("the header has wrong sizes")
	}
	tables := file[start+size:]
	if len(tables) != wordRows+c.Rows*n {
		return nil, errTruncated
	}
	c.IDF, c.Words = tables[:wordRows], make([]int8, c.Rows*n)
	for i, w := range tables[wordRows:] {
		c.Words[i] = int8(w) //nolint:gosec // the same bits
	}
	return c, nil
}

var errTruncated = errors.New("the file is truncated or has bytes after its end")

func squareRoot(n int64) int64 {
	root := int64(math.Sqrt(float64(n)))
	// The square root of float64 is exact to the last bit, but the conversion may round up.
	for root*root > n {
		root--
	}
	return max(root, 1)
}
