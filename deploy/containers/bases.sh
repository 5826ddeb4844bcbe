# The base images of deploy/scripts/containers. Where no registry can be reached, images from
# Debian packages stand in for the published ones. They have the same users and paths.

readonly packages=redis-server,postgresql,haproxy,wget,ca-certificates

make_bases() {
  if [[ $images == published ]]; then return; fi
  local kind
  make_debian
  for kind in redis postgres haproxy; do
    build -q -f "$parts/$kind.Dockerfile" -t "signalbox-$kind:debian" "$parts" >/dev/null
  done
  make_go
  export REDIS_IMAGE=signalbox-redis:debian POSTGRES_IMAGE=signalbox-postgres:debian HAPROXY_IMAGE=signalbox-haproxy:debian
  export GO_IMAGE=signalbox-go:debian
}

has_image() { "$docker" image inspect "$1" >/dev/null 2>&1; }

make_debian() {
  if has_image signalbox-base:debian; then return; fi
  command -v mmdebstrap >/dev/null || deploy/scripts/packages mmdebstrap
  step "making base images from Debian packages (once; takes a minute)"
  mmdebstrap --variant=minbase --include="$packages" "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$home/base.tar" >"$home/base.log" 2>&1 ||
    { tail -n 20 "$home/base.log" >&2; fail "mmdebstrap failed"; }
  "$docker" import "$home/base.tar" signalbox-base:debian >/dev/null
  rm "$home/base.tar"
}

# make_go makes an image with this machine's Go and a file tree of the modules that the build
# downloads. The stamp is what it was made from.
make_go() {
  local stamp context=$home/go-image
  stamp=$(go version; cat {proto,pkg,services}/go.sum | sha256sum)
  if has_image signalbox-go:debian && [[ -e $context.stamp && $(<"$context.stamp") == "$stamp" ]]; then return; fi
  step "making a build image with Go and the modules"
  rm -rf "$context" && mkdir -p "$context"
  local m
  for m in proto pkg services; do
    GOWORK=off GOFLAGS=-modcacherw GOMODCACHE=$context/modules GOSUMDB=off \
      GOPROXY="file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)" go -C "$m" mod download
  done
  mv "$context/modules/cache/download" "$context/proxy"
  rm -rf "$context/modules"
  cp -r "$(go env GOROOT)" "$context/go"
  build -q -f "$parts/go.Dockerfile" -t signalbox-go:debian "$context" >/dev/null
  rm -rf "$context"
  echo "$stamp" >"$context.stamp"
}
