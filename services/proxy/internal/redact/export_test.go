package redact

// Reach is how far behind the end of what is kept a text is looked at.
const Reach = reach

// Steps is how often a byte of a body was looked at to see where something
// ends that may begin there.
func (r *Redactor) Steps(body []byte, limit int) int {
	d := &draft{patterns: r.patterns}
	if _, _, isJSON := d.json(nil, body, limit); !isJSON {
		d.clean(body, plain, limit)
	}
	return d.steps
}
