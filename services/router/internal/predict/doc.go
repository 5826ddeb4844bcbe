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
// A text belongs to the collection whose membership is the greatest. The guard says how
// much it resembles the texts of that collection: 1000 fully, 0 not at all. Outside of
// all collections nothing learned applies, and the prediction is the one of package
// quality. In between, the two are mixed.
//
// A prediction needs integers only, and one square root, which IEEE 754 defines to the
// last bit. The same text, models and weights therefore give the same prediction on every
// machine, and a recorded decision can be recomputed.
package predict
