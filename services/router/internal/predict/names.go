package predict

import "strings"

// Normalise returns the letters and digits of a model's name in lower case, without the
// vendor before a slash, without the host after an @, and without the word meta. Sources
// spell the same model differently: Meta-Llama-3_1-8B-Instruct and
// meta-llama/llama-3.1-8b-instruct.
func Normalise(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	name, _, _ = strings.Cut(name, "@")
	out := strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return -1
	}, name)
	return strings.TrimPrefix(out, "meta")
}
