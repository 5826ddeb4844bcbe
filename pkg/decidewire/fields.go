package decidewire

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/signalbox/signalbox/pkg/decide"
)

var errMessage = errors.New("not a protobuf message")

// field is one of a protobuf message: a number, or a text that may be a message.
type field struct {
	number protowire.Number
	num    uint64
	text   string
}

// fields calls f with the fields of a message, in their order, but for those of
// a kind that none of ours has.
func fields(message string, f func(field) error) error {
	for len(message) > 0 {
		tag, n := varint(message)
		number, kind := protowire.DecodeTag(tag)
		if n == 0 || number < protowire.MinValidNumber {
			return errMessage
		}
		message = message[n:]
		one, n := value(message, number, kind)
		if n == 0 {
			return errMessage
		}
		message = message[n:]
		if kind != protowire.VarintType && kind != protowire.BytesType {
			continue
		}
		if err := f(one); err != nil {
			return err
		}
	}
	return nil
}

// value reads what follows a tag and returns how long that is; 0 if it is none.
func value(s string, number protowire.Number, kind protowire.Type) (field, int) {
	switch kind {
	case protowire.VarintType:
		v, n := varint(s)
		return field{number: number, num: v}, n
	case protowire.BytesType:
		v, n := varint(s)
		if n == 0 || v > uint64(len(s)-n) {
			return field{}, 0
		}
		end := n + int(v) //nolint:gosec // at most len(s)
		return field{number: number, text: s[n:end]}, end
	}
	return field{}, max(0, protowire.ConsumeFieldValue(number, kind, []byte(s)))
}

// varint reads a number and returns how long it is; 0 if it is none.
func varint(s string) (v uint64, n int) {
	for shift := 0; n < len(s) && shift < 64; shift += 7 {
		b := s[n]
		n++
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v, n
		}
	}
	return 0, 0
}

// texts takes the message in a field for one whose first fields are texts.
func (f field) texts(into ...*string) error {
	return fields(f.text, func(f field) error {
		if i := int(f.number) - 1; i < len(into) {
			*into[i] = f.text
		}
		return nil
	})
}

// target takes the message in a field for one.
func (f field) target() (*decide.Candidate, error) {
	t := &decide.Candidate{}
	return t, f.texts(&t.Model, &t.Provider)
}

// pair takes the message in a field for an entry of a map of texts.
func (f field) pair(into *map[string]string) error {
	var name, v string
	err := f.texts(&name, &v)
	if *into == nil {
		*into = map[string]string{}
	}
	(*into)[name] = v
	return err
}

// signed is the number where it may be negative.
func (f field) signed() int64 { return int64(f.num) } //nolint:gosec // the wire format of one

// count takes the message in a field for an entry of a map of numbers.
func (f field) count(into *decide.NamedValues) error {
	var one decide.NamedValue
	err := fields(f.text, func(f field) error {
		switch f.number {
		case 1:
			one.Name = f.text
		case 2:
			one.Value = f.signed()
		}
		return nil
	})
	*into = append(*into, one)
	return err
}
