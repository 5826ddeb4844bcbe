// Package predict predicts how probable a good response of each model to a request is,
// from weights that were learned from the outcomes of public benchmarks. Package training
// makes the weights; the file learned.weights is embedded.
//
// What a request needs and what a model can do are two things:
//
//   - The weights hold several collections, for example competition mathematics. A
//     collection knows how the words and the style of a text change the outcome. It has a
//     head for each model whose outcomes it was trained on, and a head named ease for all
//     other models.
//   - The ability of a model without outcomes is its quality in the catalog. Its
//     probability is logistic(base + slope*ability + ease).
//
// Polite sentences around a request are removed first. Then the membership of the text in
// each collection is compared with the memberships of the collection's own texts. The guard
// says how much the text resembles the texts of the chosen collection, 1000 fully, 0 not at
// all, by its membership, its words and its style. Outside of all collections nothing learned
// applies, and the prediction is the one of package quality. In between, the two are mixed.
//
// A prediction needs integers only, and one square root, which IEEE 754 defines to the
// last bit. The same text, models and weights therefore give the same prediction on every
// machine, and a recorded decision can be recomputed.
package predict
