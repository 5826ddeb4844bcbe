package clients

// fold puts chunks together the way simple programs do, trusting every field:
// what comes twice is seen twice.
type fold struct {
	sight
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

func (f *fold) seen() sight {
	for i, text := range f.args {
		f.Calls[i].Args = arguments(text)
	}
	return f.sight
}
