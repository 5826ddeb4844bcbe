package policy

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// readWire reads how a provider or an endpoint deviates from its wire format. The
// fields have the JSON names of catalog.Wire. It returns nil if v is missing. ofProvider
// is true if v belongs to a provider, and false if it belongs to an endpoint.
func (c *compiler) readWire(v value, ofProvider bool) *catalog.Wire {
	if v.node == nil {
		return nil
	}
	w := &catalog.Wire{}
	written := c.readStruct(v, reflect.ValueOf(w).Elem())
	if h, ok := written["http"]; ok && !ofProvider {
		c.reportProblem(h, CodeUnknownField, `"http" belongs to the provider: move it there`)
	}
	for _, f := range w.FindFaults() {
		c.reportProblem(written[f.Field], CodeBadValue, "%s", f.Text)
	}
	return w
}

// checkAPI reports a problem if a provider or an endpoint chooses an API that its kind of
// provider does not have. v is the description that contains w.
func (c *compiler) checkAPI(v value, w *catalog.Wire, kind string) {
	if w != nil && w.API != "" && kind != "openai" && kind != "" {
		c.reportProblem(v, CodeBadValue, `"api" can be set only for providers of kind "openai"`)
	}
}

// providerKind returns the kind of a provider, or "" if the provider is unknown.
func (c *compiler) providerKind(name string) string {
	for i := range c.policy.Providers {
		if p := &c.policy.Providers[i]; p.Name == name {
			return p.Kind
		}
	}
	return ""
}

// wirePair holds a provider's deviations from the wire format. known comes from the
// catalog, and written from the document.
type wirePair struct{ known, written *catalog.Wire }

// resolveWires merges the deviations of each endpoint. Each source overrides the
// sources before it: the catalog's provider, the catalog's endpoint, the document's
// provider, the document's endpoint. written is true if the document lists the endpoints.
func (c *compiler) resolveWires(endpoints []Endpoint, written bool) {
	for i := range endpoints {
		e := &endpoints[i]
		_, known, _ := c.catalog.FindEndpoint(e.Provider, e.UpstreamModel)
		pair := c.wiresByProvider[e.Provider]
		wire := pair.known.Merge(known.Wire).Merge(pair.written)
		if written {
			wire = wire.Merge(e.Wire)
		}
		e.Wire = wire.ForEndpoint(nil)
	}
}

// readStruct fills a struct from a mapping and returns the written fields by name.
func (c *compiler) readStruct(v value, to reflect.Value) map[string]value {
	fields := map[string]reflect.Value{}
	var names []string
	for i := range to.NumField() {
		name, _, _ := strings.Cut(to.Type().Field(i).Tag.Get("json"), ",")
		names = append(names, name)
		fields[name] = to.Field(i)
	}
	written := c.readFields(v, names...)
	for name, field := range written {
		c.readInto(field, fields[name])
	}
	return written
}

// maxWireNumber is larger than every number in a wire description.
const maxWireNumber = 1 << 20

// readInto reads a value of one of the types that occur in catalog.Wire.
func (c *compiler) readInto(v value, to reflect.Value) {
	if to.Type() == reflect.TypeFor[json.RawMessage]() {
		to.SetBytes(c.toJSON(v))
		return
	}
	switch to.Kind() {
	case reflect.Bool:
		to.SetBool(c.readBool(v))
	case reflect.Int:
		to.SetInt(c.readInteger(v, 0, maxWireNumber))
	case reflect.String:
		text, _ := c.readString(v)
		to.SetString(text)
	case reflect.Slice:
		values, _ := c.readStrings(v)
		to.Set(reflect.ValueOf(values))
		c.checkFieldCount(v, len(values))
	case reflect.Struct:
		c.readStruct(v, to)
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		c.readInto(v, to.Elem())
	case reflect.Map:
		to.Set(reflect.MakeMap(to.Type()))
		entries := c.readEntries(v)
		c.checkFieldCount(v, len(entries))
		for _, e := range entries {
			item := reflect.New(to.Type().Elem()).Elem()
			c.readInto(e, item)
			to.SetMapIndex(reflect.ValueOf(e.name), item)
		}
	}
}

// maxWireEntries is more than any wire format needs. Each endpoint holds a copy of the list, so
// longer lists would need much memory.
const maxWireEntries = 200

func (c *compiler) checkFieldCount(v value, n int) {
	if n > maxWireEntries {
		c.reportProblem(v, CodeTooLarge, "too many entries: a wire description can have at most %d of each kind", maxWireEntries)
	}
}

func (c *compiler) toJSON(v value) []byte {
	var decoded any
	err := yaml.NodeToValue(v.node, &decoded)
	text, jsonErr := json.Marshal(decoded)
	if err != nil || jsonErr != nil {
		c.reportProblem(v, CodeWrongType, "must be a value that JSON can represent")
		return nil
	}
	return text
}
