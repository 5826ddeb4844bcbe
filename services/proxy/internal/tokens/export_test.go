package tokens

// EncodingOf is the exact encoding of a tokenizer or a family.
func EncodingOf(tokenizer, family string) string { return encodingOf(tokenizer, family) }
