import pytest

from pykafka_ops.settings.versions import is_version, message_magic, resolve


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("3.9", "3.9-IV0"),
        ("3.9.1", "3.9-IV0"),
        ("2.8", "2.8-IV1"),
        ("0.10.2.1", "0.10.2-IV0"),
        ("0.8.2.1", "0.8.2"),
        ("0.11.0.1-IV2", "0.11.0-IV2"),
        ("4.0-IV0", "4.0-IV0"),
        ("4.0", None),
        ("0.11", None),
        ("3", None),
        ("3.9.", None),
        ("", None),
        ("2.8-IV7", None),
    ],
)
def test_a_release_stands_for_its_newest_protocol(text: str, full: str | None) -> None:
    assert resolve(text) == full
    assert is_version(text) == (full is not None)


@pytest.mark.parametrize(
    ("text", "magic"), [("0.9.0", 0), ("0.10.0", 1), ("0.11.0", 2), ("3.9", 2)]
)
def test_the_record_format_follows_the_release(text: str, magic: int) -> None:
    assert message_magic(text) == magic
