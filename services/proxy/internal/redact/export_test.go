package redact

// Lookahead exports lookahead.
const Lookahead = lookahead

// Steps returns how many bytes of a body were scanned again.
func (r *Redactor) Steps(body []byte, limit int) int {
	d := &redaction{patterns: r.patterns}
	if _, _, isJSON := d.redactJSON(nil, body, limit); !isJSON {
		d.redactText(body, classPlain, limit)
	}
	return d.steps
}
