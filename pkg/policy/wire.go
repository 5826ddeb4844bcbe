package policy

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// wire reads how a provider or a place deviates from its format: the fields of
// catalog.Wire under their names in JSON. It is nil where nothing is written.
func (c *compiler) wire(v value, provider bool) *catalog.Wire {
	if v.node == nil {
		return nil
	}
	w := &catalog.Wire{}
	written := c.record(v, reflect.ValueOf(w).Elem())
	if h, ok := written["http"]; ok && !provider {
		c.fail(h, CodeUnknownField, "the address is the provider's: write http there")
	}
	for _, f := range w.Faults() {
		c.fail(written[f.Field], CodeBadValue, "%s", f.Text)
	}
	return w
}

// wirePair is how a provider deviates by the catalog and by the document.
type wirePair struct{ known, written *catalog.Wire }

// wires settles how the places of a model deviate: like the catalog's provider,
// with what the catalog knows of the place over it, and what is written, of the
// provider and then of the place, over both.
func (c *compiler) wires(places []Endpoint, written bool) {
	for i := range places {
		e := &places[i]
		_, known, _ := c.cat.ServedAt(e.Provider, e.Upstream)
		of := c.wiresOf[e.Provider]
		wire := of.known.Over(known.Wire).Over(of.written)
		if written {
			wire = wire.Over(e.Wire)
		}
		e.Wire = wire.Place(nil)
	}
}

// record fills a struct from a mapping and returns what is written, by name.
func (c *compiler) record(v value, to reflect.Value) map[string]value {
	places := map[string]reflect.Value{}
	var names []string
	for i := range to.NumField() {
		name, _, _ := strings.Cut(to.Type().Field(i).Tag.Get("json"), ",")
		names = append(names, name)
		places[name] = to.Field(i)
	}
	written := c.fields(v, names...)
	for name, field := range written {
		c.into(field, places[name])
	}
	return written
}

// maxWireNumber is above every number of a wire.
const maxWireNumber = 1 << 20

// into reads a value of one of the types that catalog.Wire is made of.
func (c *compiler) into(v value, to reflect.Value) {
	if to.Type() == reflect.TypeFor[json.RawMessage]() {
		to.SetBytes(c.json(v))
		return
	}
	switch to.Kind() {
	case reflect.Bool:
		to.SetBool(c.flag(v))
	case reflect.Int:
		to.SetInt(c.integer(v, 0, maxWireNumber))
	case reflect.String:
		text, _ := c.text(v)
		to.SetString(text)
	case reflect.Slice:
		texts, _ := c.texts(v)
		to.Set(reflect.ValueOf(texts))
		c.few(v, len(texts))
	case reflect.Struct:
		c.record(v, to)
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		c.into(v, to.Elem())
	case reflect.Map:
		to.Set(reflect.MakeMap(to.Type()))
		entries := c.entries(v)
		c.few(v, len(entries))
		for _, e := range entries {
			item := reflect.New(to.Type().Elem()).Elem()
			c.into(e, item)
			to.SetMapIndex(reflect.ValueOf(e.name), item)
		}
	}
}

// maxFields is more than any format has; every place of a provider has a copy.
const maxFields = 200

func (c *compiler) few(v value, n int) {
	if n > maxFields {
		c.fail(v, CodeTooLarge, "a wire has at most %d fields of a kind", maxFields)
	}
}

// json is a part of the document as it is put into a request.
func (c *compiler) json(v value) []byte {
	var any any
	if err := yaml.NodeToValue(v.node, &any); err != nil {
		c.fail(v, CodeWrongType, "want a value that JSON has, too")
		return nil
	}
	text, err := json.Marshal(any)
	if err != nil {
		c.fail(v, CodeWrongType, "want a value that JSON has, too")
		return nil
	}
	return text
}
