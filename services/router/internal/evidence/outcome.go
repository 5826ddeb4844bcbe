package evidence

import (
	"fmt"
	"strings"
	"time"
)

// Outcome is how good a response was, beside what the shipped weights predicted.
type Outcome struct {
	// ID identifies the outcome within its account.
	ID, Account string
	// Source is the kind of evidence, such as feedback.
	Source string
	Model  string
	// Topic is the subject of the request, or else its kind of task.
	Topic string
	// Predicted, Observed and Weight are in thousandths.
	Predicted, Observed, Weight int64
	Time                        time.Time
}

// Cell is a group of outcomes: of a model, or of a model and a topic.
type Cell struct {
	Model string
	// Topic is empty for all topics.
	Topic string
}

// levels is the number of cells that an outcome belongs to.
const levels = 2

// cells returns the cells of an outcome, the largest first.
func cells(model, topic string) [levels]Cell {
	return [levels]Cell{{Model: model}, {Model: model, Topic: topic}}
}

// level returns the index of the cell among the cells of its outcomes.
func (c Cell) level() int {
	if c.Topic != "" {
		return 1
	}
	return 0
}

// MarshalText writes the cell as topic|model.
func (c Cell) MarshalText() ([]byte, error) { return []byte(c.Topic + "|" + c.Model), nil }

// UnmarshalText reads what MarshalText writes.
func (c *Cell) UnmarshalText(text []byte) error {
	topic, model, ok := strings.Cut(string(text), "|")
	if !ok {
		return fmt.Errorf("cell %q has no topic", text)
	}
	*c = Cell{Model: model, Topic: topic}
	return nil
}
