package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// stamp is a time in a column: microseconds since the epoch, NULL for none.
type stamp time.Time

// Value implements driver.Valuer.
func (s stamp) Value() (driver.Value, error) {
	t := time.Time(s)
	if t.IsZero() {
		return nil, nil
	}
	return t.UnixMicro(), nil
}

// Scan implements sql.Scanner.
func (s *stamp) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*s = stamp{}
	case int64:
		*s = stamp(time.UnixMicro(v).UTC())
	default:
		return fmt.Errorf("a time is stored as %T", src)
	}
	return nil
}

// list is a list in a column: JSON text.
type list []string

// Value implements driver.Valuer.
func (l list) Value() (driver.Value, error) {
	if len(l) == 0 {
		return "[]", nil
	}
	b, err := json.Marshal([]string(l))
	return string(b), err
}

// Scan implements sql.Scanner. An empty list is nil.
func (l *list) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a list is stored as %T", src)
	}
	var values []string
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return fmt.Errorf("a list is damaged: %w", err)
	}
	*l = nil
	if len(values) > 0 {
		*l = values
	}
	return nil
}
