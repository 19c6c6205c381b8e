# Sourced by kafka-*.sh: run pko of this checkout, else the one on the PATH, else install it here.
pko_exec() {
    local top
    top=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/..
    if [ -x "$top/.venv/bin/pko" ]; then exec "$top/.venv/bin/pko" "$@"; fi
    if command -v pko >/dev/null; then exec pko "$@"; fi
    source "$top/scripts/_setup.sh"
    pko_venv
    exec "$VENV/bin/pko" "$@"
}
