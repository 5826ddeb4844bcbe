# The Docker engine and Docker Compose of deploy/scripts/containers. Sets docker, compose and
# images, and exports DOCKER_HOST for an engine of its own.

readonly compose_version=v2.40.3
engine_pid=

find_engine() {
  docker=$(command -v docker || true)
  if [[ -n $docker ]] && "$docker" info >/dev/null 2>&1; then
    images=${IMAGES:-published}
    step "using the running Docker engine"
    return
  fi
  images=${IMAGES:-debian}
  install_engine
  start_engine
}

install_engine() {
  if ! command -v dockerd >/dev/null || [[ ! -x /usr/bin/docker ]]; then
    if [[ $EUID -ne 0 || ! -e /etc/debian_version ]]; then
      fail "no Docker engine is running: start one, or run this as root on Debian"
    fi
    deploy/scripts/packages docker.io
  fi
  # A docker command from elsewhere may be too new to build with Debian's engine.
  docker=/usr/bin/docker
}

# The engine's open-files limit is explicit, because some machines cannot raise theirs to the
# engine's default.
start_engine() {
  step "starting a Docker engine in $home/engine"
  export DOCKER_HOST=unix://$run/docker.sock
  dockerd --data-root "$home/engine" --exec-root "$run/exec" -H "$DOCKER_HOST" --pidfile "$run/pid" \
    --default-ulimit nofile=1024:1024 >"$home/engine.log" 2>&1 &
  engine_pid=$!
  for _ in $(seq 600); do
    if "$docker" info >/dev/null 2>&1; then return; fi
    kill -0 "$engine_pid" 2>/dev/null || break
    sleep 0.1
  done
  tail -n 20 "$home/engine.log" >&2
  fail "the Docker engine did not start; this machine may not allow containers"
}

stop_engine() {
  if [[ -z $engine_pid ]]; then return; fi
  kill "$engine_pid" 2>/dev/null || true
  wait "$engine_pid" 2>/dev/null || true
}

# find_compose uses an installed Docker Compose, or builds it from its Go module. go install
# refuses the module, because its go.mod excludes versions.
find_compose() {
  compose=$parts/compose
  if "$docker" compose version >/dev/null 2>&1; then
    export COMPOSE_COMMAND="$docker compose"
    return
  fi
  export COMPOSE_COMMAND=$home/docker-compose-$compose_version
  if [[ -x $COMPOSE_COMMAND ]]; then return; fi
  step "building Docker Compose $compose_version (once; takes a few minutes)"
  local source=$home/compose-source from
  from=$(cd "$run" && GOWORK=off go mod download -json "github.com/docker/compose/v2@$compose_version" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  rm -rf "$source" && cp -r "$from" "$source" && chmod -R u+w "$source"
  (cd "$source" && GOWORK=off CGO_ENABLED=0 go build -trimpath -o "$COMPOSE_COMMAND" ./cmd)
  rm -rf "$source"
}

# build runs docker build with BuildKit, which the Dockerfile needs.
build() { DOCKER_BUILDKIT=1 "$docker" build --progress=plain "$@"; }
