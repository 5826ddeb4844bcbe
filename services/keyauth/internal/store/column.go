package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// microTime stores a time as microseconds since the Unix epoch. It stores the zero time as NULL.
type microTime time.Time

// Value implements driver.Valuer.
func (s microTime) Value() (driver.Value, error) {
	t := time.Time(s)
	if t.IsZero() {
		return nil, nil
	}
	return t.UnixMicro(), nil
}

// Scan implements sql.Scanner.
func (s *microTime) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*s = microTime{}
	case int64:
		*s = microTime(time.UnixMicro(v).UTC())
	default:
		return fmt.Errorf("scan time: unexpected type %T", src)
	}
	return nil
}

// jsonList stores a list as JSON text.
type jsonList []string

// Value implements driver.Valuer.
func (l jsonList) Value() (driver.Value, error) {
	if len(l) == 0 {
		return "[]", nil
	}
	b, err := json.Marshal([]string(l))
	return string(b), err
}

// Scan implements sql.Scanner. An empty list becomes nil.
func (l *jsonList) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("scan list: unexpected type %T", src)
	}
	var values []string
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return fmt.Errorf("scan list: %w", err)
	}
	*l = nil
	if len(values) > 0 {
		*l = values
	}
	return nil
}
