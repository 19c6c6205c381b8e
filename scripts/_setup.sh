# Sourced by the other scripts: cd to the checkout and make sure .venv holds the package.
# A marker with the hash of pyproject.toml makes the second run immediate.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ROOT=$PWD
VENV=$ROOT/.venv

pko_fail() { echo "$0: $*" >&2; exit 1; }

pko_as_root() {  # run a command as root if that can be had without asking
    if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo -n "$@"; else return 1; fi
}

pko_apt() {  # install Debian packages when the system lets us
    command -v apt-get >/dev/null || return 1
    echo "$0: installing $* with apt-get" >&2
    pko_as_root apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive pko_as_root apt-get install -y -qq "$@" >&2
}

pko_pythons() {  # each Python >= 3.11 that can make environments, one a line: its version and path
    local p found seen=" "
    for p in python3 python3.{19..11} "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3; do
        found=$("$p" - 2>/dev/null <<'EOF'
import ensurepip, sys, venv
version = sys.version_info
if version < (3, 11) or version.releaselevel != "final" or sys.implementation.name != "cpython":
    sys.exit(1)
print(f"{version.major}.{version.minor} {sys.executable}")
EOF
        ) || continue
        case $seen in *" ${found%% *} "*) continue ;; esac
        seen+="${found%% *} "
        echo "$found"
    done
}

pko_python() {  # the path of the first
    local version path
    read -r version path < <(pko_pythons) && echo "$path"
}

pko_venv() {  # pko_venv [EXTRA [PYTHON]]: $VENV with the package and that extra, compiled
    pko_install "$@"
    # In an environment for work on the checkout the library of what is compiled is always of its sources;
    # elsewhere nothing is built, but an old one goes.
    "$VENV/bin/python" scripts/build_hot.py $([ -n "${1:-}" ] || echo --clear) >&2
    # Also where PYTHONDONTWRITEBYTECODE is set, which would have every start compile it anew.
    "$VENV/bin/python" -m compileall -qq pykafka_ops || true
}

pko_install() {
    local extra=${1:-} python=${2:-} want have
    want=$(sha256sum pyproject.toml | cut -c1-16)
    have=$(cat "$VENV/.installed" 2>/dev/null || true)
    case " $have " in *" $want:$extra "*) return ;; esac
    [ -z "$extra" ] && case " $have " in *" $want:"*) return ;; esac
    if ! [ -x "$VENV/bin/pip" ]; then
        [ -n "$python" ] || python=$(pko_python) || { pko_apt python3 python3-venv && python=$(pko_python); } \
            || pko_fail "needs Python 3.11 or newer with venv: install it (Debian: apt-get install python3 python3-venv)"
        rm -rf "$VENV"
        "$python" -m venv "$VENV" >&2 || pko_fail "$python cannot make a virtual environment; see the lines above"
    fi
    echo "$0: installing pykafka-ops${extra:+[$extra]} into ${VENV##*/} (first run only)" >&2
    PKO_PURE=1 "$VENV/bin/python" -m pip install -q --disable-pip-version-check -e ".${extra:+[$extra]}" >&2 \
        || pko_fail "pip could not install the package; see the lines above"
    case " $have " in *" $want:"*) echo "$have $want:$extra" ;; *) echo "$want:$extra" ;; esac > "$VENV/.installed"
}

pko_java() {  # a JDK and Maven for the tests that need them, through the package manager if we may
    command -v java >/dev/null && command -v javac >/dev/null && command -v mvn >/dev/null && return
    pko_apt default-jdk-headless maven && return
    echo "$0: no Java: what needs it is left out (Debian: apt-get install default-jdk-headless maven)" >&2
}

pko_browser() {  # Chromium for the tests of HTML pages, through the package manager if we may
    local name
    for name in chromium chromium-browser google-chrome; do command -v "$name" >/dev/null && return; done
    pko_apt chromium && return
    echo "$0: no browser: what needs it is left out (Debian: apt-get install chromium)" >&2
}

pko_node() {  # Node and npm for the tests of KafkaJS, through the package manager if we may
    command -v node >/dev/null && command -v npm >/dev/null && return
    pko_apt nodejs npm && return
    echo "$0: no Node: what needs it is left out (Debian: apt-get install nodejs npm)" >&2
}

pko_kerberos() {  # a KDC and the gssapi package for the tests of GSSAPI, through the package managers if we may
    if ! { [ -x /usr/sbin/krb5kdc ] && [ -x /usr/sbin/kadmin.local ] && command -v kinit krb5-config faketime >/dev/null; }; then
        pko_apt krb5-kdc krb5-admin-server krb5-user libkrb5-dev gcc faketime \
            || { echo "$0: no KDC: what needs it is left out (Debian: apt-get install krb5-kdc krb5-admin-server krb5-user libkrb5-dev gcc faketime)" >&2; return; }
    fi
    "$VENV/bin/python" -c 'import gssapi' 2>/dev/null \
        || PKO_PURE=1 "$VENV/bin/python" -m pip install -q --disable-pip-version-check -e '.[kerberos]' >&2 \
        || echo "$0: no gssapi: what needs it is left out" >&2
}

pko_go() {  # Go for the tests of kadm: Debian's is too old
    command -v go >/dev/null || [ -x /usr/local/go/bin/go ] || echo "$0: no Go: what needs it is left out (https://go.dev/dl)" >&2
}
