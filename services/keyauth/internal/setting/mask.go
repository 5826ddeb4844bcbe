package setting

// Fields maps the name of each field that a mask may list to a function that copies it.
type Fields[T any] map[string]func(to *T, from T)

// KeyFields are the fields of Key.
var KeyFields = WithLimits(Fields[Key]{
	"name":           func(to *Key, from Key) { to.Name = from.Name },
	"scopes":         func(to *Key, from Key) { to.Scopes = from.Scopes },
	"models":         func(to *Key, from Key) { to.Models = from.Models },
	"tags":           func(to *Key, from Key) { to.Tags = from.Tags },
	"may_swap_model": func(to *Key, from Key) { to.MaySwapModel = from.MaySwapModel },
	"baseline_model": func(to *Key, from Key) { to.BaselineModel = from.BaselineModel },
	"capture":        func(to *Key, from Key) { to.Capture = from.Capture },
	"error_format":   func(to *Key, from Key) { to.ErrorFormat = from.ErrorFormat },
	"expires_at":     func(to *Key, from Key) { to.ExpiresAt = from.ExpiresAt },
	"user":           func(to *Key, from Key) { to.User = from.User },
	"agent":          func(to *Key, from Key) { to.Agent = from.Agent },
}, func(s *Key) *Limits { return &s.Limits })

// WithLimits adds the mask fields "limits", which sets all limits, and
// "limits.NAME" for each limit.
func WithLimits[T any](fields Fields[T], of func(*T) *Limits) Fields[T] {
	fields["limits"] = func(to *T, from T) { *of(to) = *of(&from) }
	for _, one := range limitFields {
		fields["limits."+one.name] = func(to *T, from T) { *one.field(of(to)) = *one.field(of(&from)) }
	}
	return fields
}

// Apply copies the fields that mask lists. It rejects an empty mask. Otherwise a
// caller that forgot the mask would believe that the change was saved.
func (fields Fields[T]) Apply(to *T, from T, mask []string) error {
	if len(mask) == 0 {
		return InvalidParam("mask", "name at least one field to change")
	}
	for _, name := range mask {
		set, ok := fields[name]
		if !ok {
			return InvalidParam("mask", "this field does not exist or cannot be changed: "+name)
		}
		set(to, from)
	}
	return nil
}
