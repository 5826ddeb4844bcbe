package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/signalbox/signalbox/pkg/decide"
)

// Shipped is the version of the table without corrections.
const Shipped = "shipped"

// Table is a set of corrections, in thousandths. It does not change.
type Table struct {
	// Shared applies to accounts that have no corrections of their own.
	Shared map[Cell]int64 `json:"shared,omitempty"`
	// Accounts holds the corrections of accounts. They include the shared ones.
	Accounts map[string]map[Cell]int64 `json:"accounts,omitempty"`

	version string
}

// NewTable returns a table without corrections.
func NewTable() *Table { return &Table{} }

// DecodeTable reads what Encode wrote.
func DecodeTable(data []byte) (*Table, error) {
	t := NewTable()
	if err := json.Unmarshal(data, t); err != nil {
		return nil, fmt.Errorf("read a table of corrections: %w", err)
	}
	if err := t.setVersion(); err != nil {
		return nil, err
	}
	return t, nil
}

// Encode returns the table as bytes. Equal tables have equal bytes.
func (t *Table) Encode() ([]byte, error) { return json.Marshal(t) }

func (t *Table) setVersion() error {
	data, err := t.Encode()
	if err != nil {
		return err
	}
	hash := sha256.Sum256(data)
	if t.version = hex.EncodeToString(hash[:6]); t.IsShipped() {
		t.version = Shipped
	}
	return nil
}

// Version is the hash of the content, or Shipped.
func (t *Table) Version() string {
	if t.version == "" {
		return Shipped
	}
	return t.version
}

// IsShipped reports whether the table corrects nothing.
func (t *Table) IsShipped() bool { return len(t.Shared) == 0 && len(t.Accounts) == 0 }

// Correct adds the corrections of a topic to the predicted qualities of models.
// Qualities stay between 0 and 1000.
func (t *Table) Correct(qualities decide.NamedValues, account, topic string) {
	all, ok := t.Accounts[account]
	if !ok {
		all = t.Shared
	}
	if len(all) == 0 {
		return
	}
	for i := range qualities {
		q := &qualities[i]
		q.Value = min(max(q.Value+correctionOf(all, q.Name, topic), 0), 1000)
	}
}

// correctionOf returns the correction of a model and a topic, or else of the model.
func correctionOf(all map[Cell]int64, model, topic string) int64 {
	if v, ok := all[Cell{Model: model, Topic: topic}]; ok {
		return v
	}
	return all[Cell{Model: model}]
}
