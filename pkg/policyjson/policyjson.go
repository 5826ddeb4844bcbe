// Package policyjson encodes the router's messages about policies as JSON, and parses questions. A
// question is the input of a routing decision. The dashboard API and the command line use this
// package, so that both print the same JSON. It uses the protobuf descriptors, so a new field of a
// message needs no change here.
package policyjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// EncodeMessage converts a message to the JSON of our APIs. Fields have their proto names, integers
// are numbers, times are RFC 3339, and enums are lower-case names. Every field is present. An optional
// field without a value is null, and so is the zero value of an enum.
func EncodeMessage(m proto.Message) map[string]any { return encodeObject(m.ProtoReflect()) }

// EncodeListedVersion encodes a policy version without its document, for lists.
func EncodeListedVersion(v *routerv1.PolicyVersion) map[string]any {
	out := EncodeMessage(v)
	delete(out, "document")
	return out
}

func encodeObject(m protoreflect.Message) map[string]any {
	out := map[string]any{}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch name := string(f.Name()); {
		case f.IsMap():
			out[name] = encodeMap(f, m.Get(f).Map())
		case f.IsList():
			out[name] = encodeList(f, m.Get(f).List())
		case f.HasPresence() && !m.Has(f):
			out[name] = nil
		default:
			out[name] = encodeValue(f, m.Get(f))
		}
	}
	return out
}

func encodeMap(f protoreflect.FieldDescriptor, m protoreflect.Map) map[string]any {
	out := map[string]any{}
	m.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		out[k.String()] = encodeValue(f.MapValue(), v)
		return true
	})
	return out
}

func encodeList(f protoreflect.FieldDescriptor, l protoreflect.List) []any {
	out := []any{}
	for i := range l.Len() {
		out = append(out, encodeValue(f, l.Get(i)))
	}
	return out
}

func encodeValue(f protoreflect.FieldDescriptor, v protoreflect.Value) any {
	switch f.Kind() {
	case protoreflect.MessageKind:
		if t, ok := v.Message().Interface().(*timestamppb.Timestamp); ok {
			return t.AsTime().Format(time.RFC3339Nano)
		}
		return encodeObject(v.Message())
	case protoreflect.EnumKind:
		return encodeEnum(f.Enum(), v.Enum())
	}
	return v.Interface()
}

// encodeEnum returns the name of the enum value in lower case, without the prefix that all values
// of the enum share. The zero value and an unknown number become nil.
func encodeEnum(e protoreflect.EnumDescriptor, n protoreflect.EnumNumber) any {
	v := e.Values().ByNumber(n)
	if v == nil || n == 0 {
		return nil
	}
	prefix := strings.TrimSuffix(string(e.Values().ByNumber(0).Name()), "UNSPECIFIED")
	return strings.ToLower(strings.TrimPrefix(string(v.Name()), prefix))
}

// ParseQuestion parses a question such as {"model": "auto", "needs": ["tools"]}. The default endpoint
// is chat, and the default model is auto. An unknown field is an error.
func ParseQuestion(text []byte) (*routerv1.Question, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, fmt.Errorf("the question must be a JSON object: %w", err)
	}
	if fields == nil {
		return nil, errors.New("the question must be a JSON object")
	}
	endpoint := "chat"
	if raw, ok := fields["endpoint"]; ok {
		if err := json.Unmarshal(raw, &endpoint); err != nil {
			return nil, errors.New(`"endpoint" must be a string`)
		}
		delete(fields, "endpoint")
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	q := &routerv1.Question{}
	if err := protojson.Unmarshal(rest, q); err != nil {
		return nil, fmt.Errorf("invalid question: %s", cleanError(err))
	}
	n, ok := routerv1.Endpoint_value["ENDPOINT_"+strings.ToUpper(endpoint)]
	if !ok || n == 0 {
		return nil, fmt.Errorf("unknown endpoint %q: use chat or embeddings", endpoint)
	}
	q.Endpoint = routerv1.Endpoint(n)
	if q.GetModel() == "" {
		q.Model = "auto"
	}
	return q, nil
}

// cleanError returns the message of protojson without its prefix and non-breaking spaces. It also
// removes the position, because the position refers to the re-encoded JSON, not to the user's text.
func cleanError(err error) string {
	text := strings.ReplaceAll(err.Error(), "\u00a0", " ")
	text = strings.TrimPrefix(text, "proto: ")
	if _, after, ok := strings.Cut(text, "): "); ok && strings.HasPrefix(text, "(line ") {
		return after
	}
	return text
}
