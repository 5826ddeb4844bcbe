// Package policyjson encodes the router's messages about policies as JSON, and parses questions. A
// question is the input of a routing decision. The dashboard API and the command line use this
// package, so that both print the same JSON. It uses the protobuf descriptors, so a new field of a
// message needs no change here.
package policyjson

import (
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// namedValue is the message whose lists are objects in JSON.
var namedValue = (&routerv1.NamedValue{}).ProtoReflect().Descriptor().FullName()

// EncodeMessage converts a message to the JSON of our APIs. Fields have their proto names, integers
// are numbers, times are RFC 3339, enums are lower-case names, and lists of named values are objects.
// Every field is present. An optional field without a value is null, and so is the zero value of an
// enum.
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
		case f.IsList() && f.Kind() == protoreflect.MessageKind && f.Message().FullName() == namedValue:
			out[name] = encodeNamedValues(m.Get(f).List())
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

// encodeNamedValues writes an object with one field per name.
func encodeNamedValues(l protoreflect.List) map[string]any {
	out := map[string]any{}
	for i := range l.Len() {
		v, _ := l.Get(i).Message().Interface().(*routerv1.NamedValue)
		out[v.GetName()] = v.GetValue()
	}
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
