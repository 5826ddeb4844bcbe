package main

import (
	"bytes"
	_ "embed"
	"encoding/json"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// sandboxModels are ours and in no table.
//
//go:embed sandbox.json
var sandboxModels []byte

func sandbox() ([]catalog.Entry, error) {
	var all []catalog.Entry
	return all, json.Unmarshal(sandboxModels, &all)
}

// write puts every fact of a model on a line of its own, so that a change can
// be read.
func write(sources []catalog.Source, models []catalog.Entry) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("{\"sources\": [\n")
	for i, s := range sources {
		if err := line(&b, "  ", s, i+1 < len(sources)); err != nil {
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
	places := m.Endpoints
	m.Endpoints = []catalog.Endpoint{}
	text, err := encode(m)
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
	for i, e := range places {
		if err := line(b, "    ", e, i+1 < len(places)); err != nil {
			return err
		}
	}
	b.WriteString("  ]}")
	return nil
}

func line(b *bytes.Buffer, indent string, v any, more bool) error {
	text, err := encode(v)
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

// encode leaves text as it is read by people.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
