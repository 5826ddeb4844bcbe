package predict

// Rows returns the word rows of a text, for training.
func Rows(text string) []uint16 {
	var words wordSet
	words.read(text)
	return append([]uint16(nil), words.rows...)
}

// Rows returns the word rows of the text that was read last. It is valid until the next one.
func (s *Scratch) Rows() []uint16 { return s.words.rows }

// WordRows is the number of word rows.
const WordRows = wordRows

// WordValues returns the weights that the words of a text have in a Block, for training.
func WordValues(rows []uint16, idf []uint8) []float64 {
	in := newInput(&wordSet{rows: rows}, idf, nil)
	values := make([]float64, len(rows))
	for i, row := range rows {
		values[i] = float64(idf[row]) / float64(in.norm)
	}
	return values
}

// Standardise returns a style feature in standard deviations, for training.
func (b *Block) Standardise(j int, value int32) float64 {
	return float64(b.standardise(j, value)) / 256
}

// ValueOf returns the value of a head for a text, for training.
func (b *Block) ValueOf(head int, rows []uint16, idf []uint8, style []int32) int64 {
	in := newInput(&wordSet{rows: rows}, idf, style)
	return b.value(&in, head)
}

// SurpriseOf returns the surprise of the words of a text, for training.
func (c *Collection) SurpriseOf(rows []uint16) int64 { return c.surprise(&input{rows: rows}) }

// DistanceOf returns the distance of the style of a text, for training.
func (c *Collection) DistanceOf(style []int32) int64 { return c.distance(&input{style: style}) }

// PrecisionOne is the number 1 in a precision matrix.
const PrecisionOne = precisionOne

// One is the fixed-point representation of 1.
const One = one
