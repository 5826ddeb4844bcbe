module github.com/signalbox/signalbox/deploy/e2e

go 1.26.0

require (
	github.com/openai/openai-go/v3 v3.90.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/coder/websocket v1.8.15 // indirect
	github.com/tidwall/gjson v1.19.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/signalbox/signalbox/proto => ../../proto

replace github.com/signalbox/signalbox/pkg => ../../pkg

replace github.com/signalbox/signalbox/services => ../../services
