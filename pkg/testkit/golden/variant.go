package golden

import (
	"fmt"
	"strings"
)

// Variant is a text that an archive can store as the difference from another one.
type Variant struct {
	Name, Text string
	// Base is the name of an earlier variant. If it is empty, the text is stored in full.
	Base string
	// Replace holds pairs of texts: each first one in the base is the second one here.
	Replace []string
}

// comparedWith separates the name of a variant from the name of its base.
const comparedWith = ", compared with "

// VariantSections returns the sections that store the variants. A text is stored in full
// if the difference from its base is not shorter.
func VariantSections(variants []Variant) []Section {
	texts := map[string]string{}
	var sections []Section
	for _, v := range variants {
		sections = append(sections, v.section(texts))
		texts[v.Name] = v.Text
	}
	return sections
}

func (v Variant) section(earlier map[string]string) Section {
	if base, ok := earlier[v.Base]; ok {
		difference := Difference(base, v.Text, v.Replace...)
		if len(difference) < len(v.Text) {
			return Section{Name: v.Name + comparedWith + v.Base, Text: difference}
		}
	}
	return Section{Name: v.Name, Text: v.Text}
}

// ReadVariants returns the texts of the variants by their names.
func ReadVariants(sections []Section) (map[string]string, error) {
	texts := map[string]string{}
	for _, s := range sections {
		name, base, isCompared := strings.Cut(s.Name, comparedWith)
		if _, ok := texts[name]; ok {
			return nil, fmt.Errorf("the archive has two sections %q", name)
		}
		text := s.Text
		if isCompared {
			baseText, ok := texts[base]
			if !ok {
				return nil, fmt.Errorf("section %q: the base is not an earlier section", s.Name)
			}
			var err error
			if text, err = Apply(baseText, s.Text); err != nil {
				return nil, fmt.Errorf("section %q: %w", s.Name, err)
			}
		}
		texts[name] = text
	}
	return texts, nil
}
