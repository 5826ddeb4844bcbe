// Package subject says which field of knowledge a text is about, such as law or physics. The
// router corrects its predictions by subject, because models differ by subject more than by
// anything else that is known of a request. The record holds the subject, not the text.
//
// A classifier is a set of linear functions of the words of a text, one per subject and one
// for texts without a subject. Package training makes it; the file subjects.weights is
// embedded. It needs integers only, and one square root, as package predict does.
package subject

import (
	_ "embed"
	"fmt"
	"sync"
)

// Feature is the name of the recorded feature: the number of the subject, from 1 on. It is
// absent if the text has no subject.
const Feature = "learned_subject"

//go:embed subjects.weights
var embedded []byte

// Load returns the classifier that ships with the program. It reads the weights once.
var Load = sync.OnceValues(func() (*Classifier, error) {
	c, err := Decode(embedded)
	if err != nil {
		return nil, fmt.Errorf("read the embedded subjects: %w", err)
	}
	return c, nil
})

// Classifier finds the subject of texts. It is safe for concurrent use.
type Classifier struct {
	// Names holds the subjects. The functions follow in the same order, and the one for
	// texts without a subject is the last.
	Names []string `json:"names"`
	// Rows is the number of rows of Words, a power of two.
	Rows int `json:"rows"`
	// Levels holds the value of each function for a text without words, in 1/2^16. Scales
	// converts the sums of weights; it is in 1/2^32.
	Levels []int64 `json:"levels"`
	Scales []int64 `json:"scales"`
	// IDF is the inverse document frequency of each word row, in 1/16. Words holds a
	// row of weights for each word row.
	IDF   []uint8 `json:"-"`
	Words []int8  `json:"-"`
}

// maxSubjects bounds Names.
const maxSubjects = 31

// Of returns the number of the subject of a text, or 0 if it has none. rows are the rows of
// its words by package predict.
func (c *Classifier) Of(rows []uint16) int64 {
	var sums [maxSubjects + 1]int64
	n, mask, squares := len(c.Levels), c.Rows-1, int64(0)
	for _, row := range rows {
		idf := int64(c.IDF[row])
		squares += idf * idf
		at := (int(row) & mask) * n
		for i, w := range c.Words[at : at+n] {
			sums[i] += int64(w) * idf
		}
	}
	if squares == 0 {
		return 0
	}
	norm, best := squareRoot(squares), n-1
	value := func(i int) int64 { return c.Levels[i] + (sums[i]*c.Scales[i]/norm)>>16 }
	for i := range n - 1 {
		if value(i) > max(value(best), minValue) {
			best = i
		}
	}
	return int64(best+1) % int64(n)
}

// minValue is the value of a subject below which a text has none, in 1/2^16. The functions
// were fitted to 1 for texts of the subject and to -1 for others.
const minValue = -30_000

// Name returns the name of a subject. It is empty for 0 and unknown numbers.
func (c *Classifier) Name(number int64) string {
	if number < 1 || number > int64(len(c.Names)) {
		return ""
	}
	return c.Names[number-1]
}
