package server

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"
)

// DecodeStrict decodes JSON and rejects unknown fields at any depth. If a field is unknown or has the
// wrong type, field is its name. For invalid JSON, field is empty. unknown means that the struct has no
// such field.
func DecodeStrict(data []byte, v any) (field string, unknown bool, err error) {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	if err = d.Decode(v); err == nil {
		if _, err = d.Token(); err == io.EOF {
			return "", false, nil
		}
		return "", false, errors.New("data after the value")
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return e.Field, false, err
	}
	if name, ok := strings.CutPrefix(err.Error(), `json: unknown field "`); ok {
		return strings.TrimSuffix(name, `"`), true, err
	}
	return "", false, err
}

// IsValidName reports whether a name has 1 to maxLength characters, all of them ASCII letters, digits,
// underscores or dashes.
func IsValidName(name string, maxLength int) bool {
	odd := func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	}
	return name != "" && len(name) <= maxLength && !strings.ContainsFunc(name, odd)
}

// JSONType returns the type of a JSON value: object, array, string, number, boolean or null. It is empty
// for a missing value.
func JSONType(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// DecodeString returns the value of a JSON string. For any other JSON it returns an empty string.
func DecodeString(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}

// EncodeJSON encodes v. Encoding the types of this package never fails.
func EncodeJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(b)
}
