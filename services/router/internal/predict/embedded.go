package predict

import (
	_ "embed"
	"fmt"
	"sync"
)

//go:embed learned.weights
var learned []byte

// Load returns the predictor with the weights that ship with the program. It reads them
// once.
var Load = sync.OnceValues(func() (*Predictor, error) {
	p, err := New(learned)
	if err != nil {
		return nil, fmt.Errorf("read the embedded weights: %w", err)
	}
	return p, nil
})
