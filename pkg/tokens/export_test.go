package tokens

// EncodingFor is the exact encoding of a tokenizer or a family.
func EncodingFor(tokenizer, family string) string { return encodingFor(tokenizer, family) }
