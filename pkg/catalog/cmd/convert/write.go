package main

import (
	"bytes"
	_ "embed"
	"encoding/json"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// sandboxModels lists the sandbox models. They are built into Signalbox, so the table does not
// contain them.
//
//go:embed sandbox.json
var sandboxModels []byte

func sandboxEntries() ([]catalog.Entry, error) {
	var all []catalog.Entry
	return all, json.Unmarshal(sandboxModels, &all)
}

// encodeModels writes every field of a model on its own line, so that diffs are readable.
func encodeModels(sources []catalog.Source, models []catalog.Entry) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("{\"sources\": [\n")
	for i, s := range sources {
		if err := writeLine(&b, "  ", s, i+1 < len(sources)); err != nil {
			return nil, err
		}
	}
	b.WriteString("],\n\"models\": [\n")
	for i, m := range models {
		if err := writeModel(&b, m); err != nil {
			return nil, err
		}
		if i+1 < len(models) {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]}\n")
	return b.Bytes(), nil
}

func writeModel(b *bytes.Buffer, m catalog.Entry) error {
	endpoints := m.Endpoints
	m.Endpoints = []catalog.Endpoint{}
	text, err := encodeJSON(m)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	b.WriteString("{")
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var fact json.RawMessage
		if err := d.Decode(&fact); err != nil {
			return err
		}
		if name != "endpoints" {
			b.WriteString("\"" + name.(string) + "\": ")
			b.Write(fact)
			b.WriteString(",\n  ")
		}
	}
	b.WriteString("\"endpoints\": [\n")
	for i, e := range endpoints {
		if err := writeLine(b, "    ", e, i+1 < len(endpoints)); err != nil {
			return err
		}
	}
	b.WriteString("  ]}")
	return nil
}

func writeLine(b *bytes.Buffer, indent string, v any, more bool) error {
	text, err := encodeJSON(v)
	if err != nil {
		return err
	}
	b.WriteString(indent)
	b.Write(text)
	if more {
		b.WriteByte(',')
	}
	b.WriteByte('\n')
	return nil
}

// encodeJSON does not escape HTML characters.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
