package provider

import "github.com/signalbox/signalbox/services/proxy/internal/namelist"

// DroppedFields names the request fields that are not sent, or not with the client's value.
type DroppedFields = namelist.List
