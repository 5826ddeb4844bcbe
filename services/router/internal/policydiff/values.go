package policydiff

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/policy"
)

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	windowType   = reflect.TypeFor[policy.Window]()
)

// formatValue formats a value for display, as the document writes it. Nil and empty values
// become an empty string.
func formatValue(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.String:
		return v.String()
	case (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0 || v.Kind() == reflect.Pointer && v.IsNil():
		return ""
	}
	text := string(appendJSON(nil, v, nil))
	if unquoted, err := strconv.Unquote(text); err == nil {
		return unquoted
	}
	return text
}

// appendJSON appends a value as JSON. In contrast to json.Marshal, durations and numbers with
// a unit are written as in the document. format may be nil.
func appendJSON(dst []byte, v reflect.Value, format numberFormat) []byte {
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		return appendJSON(dst, v.Elem(), format)
	case v.Kind() == reflect.Int64 && format != nil:
		return appendNumber(dst, format(v.Int()))
	case v.Type() == durationType:
		return appendString(dst, config.FormatDuration(time.Duration(v.Int())))
	case v.Type() == windowType:
		return appendString(dst, formatWindow(v.Interface().(policy.Window)))
	case v.Type().Implements(reflect.TypeFor[json.Marshaler]()):
		return appendMarshalled(dst, v)
	}
	switch v.Kind() {
	case reflect.Struct:
		return append(appendFields(append(dst, '{'), v), '}')
	case reflect.Slice:
		return appendList(dst, v)
	case reflect.Map:
		return appendMap(dst, v, format)
	default:
		return appendMarshalled(dst, v)
	}
}

// appendNumber quotes a number that is written with its unit, such as a price.
func appendNumber(dst []byte, number string) []byte {
	if json.Valid([]byte(number)) {
		return append(dst, number...)
	}
	return appendString(dst, number)
}

func appendString(dst []byte, text string) []byte {
	return appendMarshalled(dst, reflect.ValueOf(text))
}

func appendMarshalled(dst []byte, v reflect.Value) []byte {
	b, err := json.Marshal(v.Interface())
	if err != nil {
		return appendString(dst, fmt.Sprint(v.Interface()))
	}
	return append(dst, b...)
}

func appendFields(dst []byte, v reflect.Value) []byte {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case !f.IsExported() || name == "-" || isOmitted(v.Field(i), options):
		case f.Anonymous && name == "":
			dst = appendFields(dst, v.Field(i))
		default:
			dst = appendString(appendComma(dst), writtenName(name))
			dst = appendJSON(append(dst, ':'), v.Field(i), numberFormatOf(v, f.Type, name))
		}
	}
	return dst
}

// isOmitted reports whether json.Marshal leaves out the field.
func isOmitted(v reflect.Value, options string) bool {
	isEmpty := v.IsZero() || (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0
	return isEmpty && v.Kind() != reflect.Struct && options == "omitempty" || v.IsZero() && options == "omitzero"
}

func appendComma(dst []byte) []byte {
	if last := dst[len(dst)-1]; last == '{' || last == '[' {
		return dst
	}
	return append(dst, ',')
}

func appendList(dst []byte, v reflect.Value) []byte {
	dst = append(dst, '[')
	for i := range v.Len() {
		dst = appendJSON(appendComma(dst), v.Index(i), nil)
	}
	return append(dst, ']')
}

func appendMap(dst []byte, v reflect.Value, format numberFormat) []byte {
	keys := v.MapKeys()
	slices.SortFunc(keys, compareKeys)
	dst = append(dst, '{')
	for _, k := range keys {
		dst = appendString(appendComma(dst), k.String())
		dst = appendJSON(append(dst, ':'), v.MapIndex(k), format)
	}
	return append(dst, '}')
}
