// Package tokens is about how many tokens a request has, without a vendor's
// tokenizer on the path. The estimate itself looks at classes of bytes and is
// fitted to o200k; it is what features, limits and decisions are given, since
// they do not depend on who will serve. Where that is known, for the cost of an
// attempt that reported no usage or that the proxy died with, a Learner scales
// it by what the provider has reported for the model's family before. That
// lives in memory: a restart begins at 1 again and learns in a few requests.
// Nothing here bills: a reported count always goes before.
package tokens

// Milli is a number of tokens in thousandths, so that many short texts add up.
type Milli int64

// Tokens rounds up: no text is free.
func (m Milli) Tokens() int64 { return (int64(m) + 999) / 1000 }

// What a chat has beside its texts, in OpenAI's form; others differ little, or
// by what a Learner finds out.
const (
	// PerChat begins the answer.
	PerChat = 3
	// PerMessage is the role and the separators.
	PerMessage = 4
	// PerTool separates one declaration from the next.
	PerTool = 4
	// PerMedium is a sound or a document, whose size says little about its
	// content; it is about a picture of a megapixel.
	PerMedium = 765
)

// bytesPerToken holds for English prose, and about as well for the text of other
// scripts, whose characters have more bytes and more tokens.
const bytesPerToken = 4

// OfBytes is the estimate where nothing but the length of a text is known.
func OfBytes(n int) int64 { return int64(n+bytesPerToken-1) / bytesPerToken }
