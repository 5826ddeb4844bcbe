package predict

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// Weights is everything that training learned.
type Weights struct {
	// Style holds the names of the style features.
	Style []string `json:"style"`
	// Models holds the models with outcomes, in the order that Head.Model refers to.
	Models []Model `json:"models"`
	// Membership has one head per collection and one for everyday texts, which belong to
	// no collection. It says how much a text resembles them.
	Membership  Block        `json:"membership"`
	Collections []Collection `json:"collections"`
	// IDF is the inverse document frequency of each word row, in units of 1/16.
	IDF []uint8 `json:"-"`
}

// Model is a model with outcomes.
type Model struct {
	Name string `json:"name"`
	// Ability is comparable to the quality of the catalog, from 0 to 1000.
	Ability int64 `json:"ability"`
}

// Collection holds what was learned from one kind of texts.
type Collection struct {
	// Name is used in explanations, for example "competition mathematics".
	Name string `json:"name"`
	// Number identifies the collection in records. It stays the same when weights are learned
	// anew, whatever the order of the collections.
	Number int64 `json:"number"`
	// Heads predicts outcomes. Head 0 is the ease in logits; the others are
	// probabilities of models.
	Heads Block `json:"heads"`
	// Base and Slope give the logit of a model without outcomes: Base + Slope*ability.
	Base  int64 `json:"base"`
	Slope int64 `json:"slope"`
	Guard Guard `json:"guard"`
	// Strict says that the outcomes compare responses with a reference word for word, or with
	// options that the text does not show. They show which of two models is better, but not
	// how probable a good response is.
	Strict bool `json:"strict,omitempty"`
	// StaticGap is the mean gap between two nominal models that the hand-made difficulty of the
	// texts suggests, in units of 1/1000000.
	StaticGap int64 `json:"static_gap"`
	// Error and MeasuredError are the typical errors of predicted probabilities, for
	// models without and with outcomes, in thousandths.
	Error         int64 `json:"error"`
	MeasuredError int64 `json:"measured_error"`
	// Surprise is the negative logarithm of the probability of each word row in a text of
	// the collection, in units of 1/16.
	Surprise []uint8 `json:"-"`
	// Precision is the inverse of the covariance of the style features, row by row, in
	// units of 1/precisionOne.
	Precision []int32 `json:"-"`
}

// precisionOne is the number 1 in a precision matrix.
const precisionOne = 1 << 12

// Block is a set of linear functions of the words and the style of a text.
type Block struct {
	// Rows is the number of rows of Words, a power of two of at most wordRows.
	Rows  int    `json:"rows"`
	Heads []Head `json:"heads"`
	// Mean and Scale standardise the style features: (value-Mean)*Scale/4096 is in units
	// of 1/256 standard deviations.
	Mean  []int32 `json:"mean"`
	Scale []int32 `json:"scale"`
	// Words holds a row of weights for each word row, and Styles one for each feature.
	Words  []int8  `json:"-"`
	Styles []int16 `json:"-"`
}

// Head is one linear function. Its value is Level + Words*WordScale + Styles*StyleScale.
type Head struct {
	// Model is an index of Weights.Models, or -1.
	Model int `json:"model"`
	// Panel is the number of a benchmark within the collection. Only outcomes of one panel
	// are comparable: they are of the same texts and scored in the same way.
	Panel int `json:"panel,omitempty"`
	// Level is the value for an average text.
	Level int64 `json:"level"`
	// Rate is the share of good outcomes of the model.
	Rate int64 `json:"rate,omitempty"`
	// WordScale and StyleScale convert the sums of weights. They are in units of 1/2^32.
	WordScale  int64 `json:"word_scale"`
	StyleScale int64 `json:"style_scale"`
}

const magic = "signalbox-weights-4\n"

// Encode returns the weights as a file: a line with the format, the length of a JSON
// header, the header, and the tables in the order of the fields.
func (w *Weights) Encode() ([]byte, error) {
	header, err := json.Marshal(w)
	if err != nil {
		return nil, fmt.Errorf("encode the header: %w", err)
	}
	out := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(header))) //nolint:gosec // a few kilobytes
	out = append(append(out, header...), w.IDF...)
	for _, b := range w.blocks() {
		for _, v := range b.Words {
			out = append(out, byte(v))
		}
		for _, v := range b.Styles {
			out = binary.LittleEndian.AppendUint16(out, uint16(v)) //nolint:gosec // the same bits
		}
	}
	for i := range w.Collections {
		out = append(out, w.Collections[i].Surprise...)
		for _, v := range w.Collections[i].Precision {
			out = binary.LittleEndian.AppendUint32(out, uint32(v)) //nolint:gosec // the same bits
		}
	}
	return out, nil
}

func (w *Weights) blocks() []*Block {
	all := []*Block{&w.Membership}
	for i := range w.Collections {
		all = append(all, &w.Collections[i].Heads)
	}
	return all
}

// Decode reads a file that Encode made. The second result identifies its content.
func Decode(file []byte) (*Weights, string, error) {
	hash := sha256.Sum256(file)
	rest := file
	take := func(n int) []byte {
		if n < 0 || n > len(rest) {
			rest = nil
			return nil
		}
		part := rest[:n]
		rest = rest[n:]
		return part
	}
	if string(take(len(magic))) != magic {
		return nil, "", errors.New("not a weights file of this version")
	}
	size := take(4)
	if size == nil {
		return nil, "", errTruncated
	}
	w := &Weights{}
	if err := json.Unmarshal(take(int(binary.LittleEndian.Uint32(size))), w); err != nil {
		return nil, "", fmt.Errorf("header: %w", err)
	}
	if err := w.check(); err != nil {
		return nil, "", err
	}
	w.IDF = take(wordRows)
	for _, b := range w.blocks() {
		b.readTables(take)
		if rest == nil {
			return nil, "", errTruncated
		}
	}
	for i := range w.Collections {
		w.Collections[i].readTables(take, len(w.Style))
		if rest == nil {
			return nil, "", errTruncated
		}
	}
	if len(rest) != 0 {
		return nil, "", errors.New("bytes after the end")
	}
	return w, hex.EncodeToString(hash[:6]), nil
}

var errTruncated = errors.New("the file is truncated")

func (b *Block) readTables(take func(int) []byte) {
	words := take(b.Rows * len(b.Heads))
	b.Words = make([]int8, len(words))
	for i, v := range words {
		b.Words[i] = int8(v) //nolint:gosec // the same bits
	}
	styles := take(2 * len(b.Mean) * len(b.Heads))
	b.Styles = make([]int16, len(styles)/2)
	for i := range b.Styles {
		b.Styles[i] = int16(binary.LittleEndian.Uint16(styles[2*i:])) //nolint:gosec // the same bits
	}
}

func (c *Collection) readTables(take func(int) []byte, styles int) {
	c.Surprise = take(wordRows)
	precision := take(4 * styles * styles)
	c.Precision = make([]int32, len(precision)/4)
	for i := range c.Precision {
		c.Precision[i] = int32(binary.LittleEndian.Uint32(precision[4*i:])) //nolint:gosec // the same bits
	}
}

// check returns an error if an index or a size of the header is out of range, so that
// Predict need not check them.
func (w *Weights) check() error {
	if len(w.Style) > maxStyles {
		return fmt.Errorf("%d style features are more than %d", len(w.Style), maxStyles)
	}
	if len(w.Membership.Heads) != len(w.Collections)+1 || len(w.Collections) == 0 || len(w.Collections) > maxNumber {
		return errors.New("every collection needs a membership")
	}
	for i := range w.Collections {
		if n := w.Collections[i].Number; n < 1 || n > maxNumber {
			return fmt.Errorf("collection number %d is not from 1 to %d", n, maxNumber)
		}
	}
	for _, b := range w.blocks() {
		if b.Rows <= 0 || b.Rows > wordRows || b.Rows&(b.Rows-1) != 0 {
			return fmt.Errorf("%d rows are not a power of two up to %d", b.Rows, wordRows)
		}
		if len(b.Mean) != len(w.Style) || len(b.Scale) != len(w.Style) || len(b.Heads) == 0 || len(b.Heads) > maxHeads {
			return errors.New("a block has the wrong number of style features or heads")
		}
		for _, h := range b.Heads {
			if h.Model < -1 || h.Model >= len(w.Models) {
				return fmt.Errorf("model %d does not exist", h.Model)
			}
		}
	}
	return nil
}

const (
	// maxHeads bounds the tables of a file.
	maxHeads = 256
	// maxNumber bounds the collections and their numbers.
	maxNumber = 64
)
