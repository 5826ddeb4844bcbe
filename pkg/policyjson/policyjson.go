// Package policyjson is the JSON in which people talk with the router: the
// question of an explanation, and whatever it answers about policies. The API
// and the command line share it, so that both print the same. It follows the
// contracts field by field: a new field of a message needs nothing here.
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

// Message is a message as our APIs write it: names of the contract, whole
// numbers as numbers, moments as RFC 3339, enums as words, and null for what is
// absent. Every field is there.
func Message(m proto.Message) map[string]any { return object(m.ProtoReflect()) }

// Listed is a version without its document, which a list does not have.
func Listed(v *routerv1.PolicyVersion) map[string]any {
	out := Message(v)
	delete(out, "document")
	return out
}

func object(m protoreflect.Message) map[string]any {
	out := map[string]any{}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch name := string(f.Name()); {
		case f.IsMap():
			out[name] = members(f, m.Get(f).Map())
		case f.IsList():
			out[name] = items(f, m.Get(f).List())
		case f.HasPresence() && !m.Has(f):
			out[name] = nil
		default:
			out[name] = value(f, m.Get(f))
		}
	}
	return out
}

func members(f protoreflect.FieldDescriptor, m protoreflect.Map) map[string]any {
	out := map[string]any{}
	m.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		out[k.String()] = value(f.MapValue(), v)
		return true
	})
	return out
}

func items(f protoreflect.FieldDescriptor, l protoreflect.List) []any {
	out := []any{}
	for i := range l.Len() {
		out = append(out, value(f, l.Get(i)))
	}
	return out
}

func value(f protoreflect.FieldDescriptor, v protoreflect.Value) any {
	switch f.Kind() {
	case protoreflect.MessageKind:
		if t, ok := v.Message().Interface().(*timestamppb.Timestamp); ok {
			return t.AsTime().Format(time.RFC3339Nano)
		}
		return object(v.Message())
	case protoreflect.EnumKind:
		return word(f.Enum(), v.Enum())
	}
	return v.Interface()
}

// word is an enum's name without what all of its names begin with.
func word(e protoreflect.EnumDescriptor, n protoreflect.EnumNumber) any {
	v := e.Values().ByNumber(n)
	if v == nil || n == 0 {
		return nil
	}
	begin := strings.TrimSuffix(string(e.Values().ByNumber(0).Name()), "UNSPECIFIED")
	return strings.ToLower(strings.TrimPrefix(string(v.Name()), begin))
}

// Question reads a question, such as {"model": "auto", "needs": ["tools"]}.
// The fields are those of the contract; the endpoint is chat if it is not said,
// and the model auto. Unknown fields are an error.
func Question(text []byte) (*routerv1.Question, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, fmt.Errorf("the question is not a JSON object: %w", err)
	}
	if fields == nil {
		return nil, errors.New("the question is not a JSON object")
	}
	endpoint := "chat"
	if raw, ok := fields["endpoint"]; ok {
		if err := json.Unmarshal(raw, &endpoint); err != nil {
			return nil, errors.New("endpoint is not a text")
		}
		delete(fields, "endpoint")
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	q := &routerv1.Question{}
	if err := protojson.Unmarshal(rest, q); err != nil {
		return nil, fmt.Errorf("the question cannot be read: %s", plain(err))
	}
	n, ok := routerv1.Endpoint_value["ENDPOINT_"+strings.ToUpper(endpoint)]
	if !ok || n == 0 {
		return nil, fmt.Errorf("there is no endpoint %q, only chat and embeddings", endpoint)
	}
	q.Endpoint = routerv1.Endpoint(n)
	if q.GetModel() == "" {
		q.Model = "auto"
	}
	return q, nil
}

// plain is what the library says, without its name, its position in what was
// rewritten, and the odd spaces by which it keeps programs from reading it.
func plain(err error) string {
	text := strings.ReplaceAll(err.Error(), "\u00a0", " ")
	text = strings.TrimPrefix(text, "proto: ")
	if _, after, ok := strings.Cut(text, "): "); ok && strings.HasPrefix(text, "(line ") {
		return after
	}
	return text
}
