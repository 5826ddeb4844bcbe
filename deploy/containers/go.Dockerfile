# Stands in for golang. The build needs no network: modules come from a folder.
FROM signalbox-base:debian
COPY go /usr/local/go
COPY proxy /proxy
ENV PATH=/usr/local/go/bin:/usr/bin:/bin GOPATH=/go GOPROXY=file:///proxy GOSUMDB=off GOTOOLCHAIN=local GOFLAGS=-buildvcs=false
