package clients

// fold assembles chunks like a simple program that trusts every field: a field that is
// sent twice is seen twice.
type fold struct {
	observation
	args []string
}

func (f *fold) delta(role, content, finish string) {
	f.Role += role
	f.Text += content
	f.Finish += finish
}

func (f *fold) call(index int, id, kind, name, args string) {
	for len(f.Calls) <= index {
		f.Calls, f.args = append(f.Calls, call{}), append(f.args, "")
	}
	c := &f.Calls[index]
	c.ID += id
	c.Type += kind
	c.Name += name
	f.args[index] += args
}

func (f *fold) seen() observation {
	for i, text := range f.args {
		f.Calls[i].Args = arguments(text)
	}
	return f.observation
}
