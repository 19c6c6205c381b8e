import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.security.jaas import JaasError, Module, line, options, sections
from tests.support.raising import raises_only

FILE = r"""
// the broker's own
KafkaServer {
   org.apache.kafka.common.security.plain.PlainLoginModule required
   username="admin" password="admin-secret" user_admin="admin-secret";
};
/* and what it
   says to ZooKeeper */
Client {
   org.apache.zookeeper.server.auth.DigestLoginModule Required
   username="kaf\"ka" password="it's {a}; ${home}=" debug=true;
   other.Module optional;
};
Empty { };
"""


def test_a_line_in_all_its_quotes() -> None:
    line = (
        "org.apache.kafka.common.security.scram.ScramLoginModule required "
        r"""username="al\"ice" password='p w;d' serviceName=kafka;"""
    )
    found = {"username": 'al"ice', "password": "p w;d", "serviceName": "kafka"}
    assert options(line) == found


def test_sections_of_a_file() -> None:
    found = sections(FILE, {"home": "/root"})
    assert list(found) == ["KafkaServer", "Client", "Empty"]
    digest, other = found["Client"]
    assert digest.name == "org.apache.zookeeper.server.auth.DigestLoginModule"
    assert digest.flag == "required"
    assert digest.options == {
        "username": 'kaf"ka',
        "password": "it's {a}; /root=",
        "debug": "true",
    }
    assert (other.name, other.flag, other.options) == ("other.Module", "optional", {})
    assert found["Empty"] == []


def test_passwords_are_not_shown() -> None:
    assert "secret" not in repr(sections(FILE, {"home": ""}))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Client {\n a.B required\n x=1;\n}", "line 4: ; is needed"),
        ("Client {\n a.B always x=1;\n};", "one of required, requisite"),
        ("Client {\n a.B required x;\n};", "line 2: = is needed"),
        ('Client {\n a.B required x="1;\n};', "line 2: a quote is left open"),
        ('C { a.B required x="${no}"; };', "the system property no is not set"),
        ("C { }; C { };", "a second section C"),
        ("{", "line 1: the name of a section is needed"),
        ("C", "{ is needed"),
    ],
)
def test_what_java_would_not_take_is_told_with_its_line(text: str, why: str) -> None:
    with pytest.raises(JaasError) as caught:
        sections(text)
    assert why in str(caught.value)


@given(st.lists(st.sampled_from([*'{};="\n ', "a.B", "required", "//", "/*", "${x}"]), max_size=30))
def test_no_file_is_a_crash(parts: list[str]) -> None:
    with raises_only(JaasError):
        sections("".join(parts))


@given(st.text(max_size=20))
def test_a_module_is_a_line_that_means_it(password: str) -> None:
    module = Module("a.B", "required", {"username": "u", "password": password})
    assert options(line(module)) == module.options
