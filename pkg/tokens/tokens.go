// Package tokens estimates token counts without running a vendor's tokenizer on
// the request path.
//
// EstimateText, EstimateJSON and EstimateImage estimate the tokens of a request. The
// estimate for text adds a cost for each pair of adjacent bytes. The costs are fitted to
// o200k, a tokenizer of OpenAI. Features, limits and decisions use this estimate, because
// it does not depend on the provider that will serve the request.
//
// A Learner corrects the estimate with the counts that a provider has reported for a
// model family. The corrected estimate is used for the cost of attempts without reported
// usage. A Learner is not stored. After a restart its ratios start at 1, and a few
// requests are enough to learn them again. Reported usage always takes precedence over
// estimates.
package tokens

// Milli is a number of tokens in thousandths, so that the estimates of many
// short texts add up without rounding errors.
type Milli int64

// Tokens returns the number of whole tokens, rounded up.
func (m Milli) Tokens() int64 { return (int64(m) + 999) / 1000 }

// These constants are the tokens that a chat request has in addition to its texts, in
// OpenAI's format. Other formats differ little, and a Learner corrects the difference.
const (
	// PerChat covers the tokens that start the response.
	PerChat = 3
	// PerMessage covers the role and the separators.
	PerMessage = 4
	// PerTool covers the separator between tool declarations.
	PerTool = 4
	// PerAttachment is the estimate for one audio clip or document. Their size says little
	// about their tokens, so the estimate is the same as for an image of one megapixel.
	PerAttachment = 765
)

// bytesPerToken fits English prose. Other scripts have more bytes and more tokens per
// character, so bytesPerToken fits them about as well.
const bytesPerToken = 4

// EstimateFromLength estimates the tokens of a text of n bytes.
func EstimateFromLength(n int) int64 { return int64(n+bytesPerToken-1) / bytesPerToken }
