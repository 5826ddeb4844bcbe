package draft

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// List is a mapping whose names keep their order.
type List[T any] []Entry[T]

// Entry is one name of a List.
type Entry[T any] struct {
	Name  string
	Value T
}

// Find returns the value of a name, or nil.
func (l List[T]) Find(name string) *T {
	for i := range l {
		if l[i].Name == name {
			return &l[i].Value
		}
	}
	return nil
}

// Add appends a value. If the name is taken, it gets a number. Add returns the name.
func (l *List[T]) Add(name string, v T) string {
	free := name
	for n := 2; l.Find(free) != nil; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	*l = append(*l, Entry[T]{free, v})
	return free
}

// MarshalYAML writes the list as a mapping.
func (l List[T]) MarshalYAML() (any, error) {
	mapping := &yaml.Node{Kind: yaml.MappingNode}
	for _, e := range l {
		var name, value yaml.Node
		if err := name.Encode(e.Name); err != nil {
			return nil, err
		}
		if err := value.Encode(e.Value); err != nil {
			return nil, err
		}
		mapping.Content = append(mapping.Content, &name, &value)
	}
	return mapping, nil
}

// YAML returns the document.
func (p *Policy) YAML() ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(p); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}
