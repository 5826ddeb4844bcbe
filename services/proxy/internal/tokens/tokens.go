// Package tokens estimates token counts without running a vendor's tokenizer on
// the request path.
//
// EstimateText, EstimateJSON and EstimateImage look at classes of bytes and are
// fitted to OpenAI's o200k. Features, limits and decisions use this estimate,
// because it does not depend on the provider that will serve the request.
//
// A Learner corrects the estimate by what a provider has reported for a model
// family. It is used for the cost of attempts without reported usage. It lives
// in memory: after a restart it starts at 1 and learns again in a few requests.
// Reported usage always takes precedence over estimates.
package tokens

// Milli is a number of tokens in thousandths, so that the estimates of many
// short texts add up without rounding errors.
type Milli int64

// Tokens rounds up, so that a text with any content has at least one token.
func (m Milli) Tokens() int64 { return (int64(m) + 999) / 1000 }

// Tokens that a chat request has in addition to its texts, in OpenAI's format.
// Other formats differ little; a Learner corrects the rest.
const (
	// PerChat covers the start of the response.
	PerChat = 3
	// PerMessage covers the role and the separators.
	PerMessage = 4
	// PerTool separates one tool declaration from the next.
	PerTool = 4
	// PerAttachment is for audio or a document, whose size says little about its
	// content. It is about an image of one megapixel.
	PerAttachment = 765
)

// bytesPerToken fits English prose. Other scripts have more bytes per character
// and more tokens per character, so it fits them about as well.
const bytesPerToken = 4

// EstimateFromLength estimates the tokens of a text of n bytes.
func EstimateFromLength(n int) int64 { return int64(n+bytesPerToken-1) / bytesPerToken }
