"""Keys on the command line: drawn into files of their own, never shown, never replaced."""

import os
import re
import stat

import pytest

SPECIFIED = "shoal specification key 0001"


def test_a_new_key_is_for_its_owner_alone_and_is_not_shown(desk):
    said = desk.run("key", "new", "people.key").fine()
    text = desk.read("people.key").strip()
    assert re.fullmatch("[0-9a-f]{64}", text)
    assert text not in said.out + said.err
    if os.name == "posix":
        assert stat.S_IMODE((desk.folder / "people.key").stat().st_mode) == 0o600
    shown = desk.run("key", "show", "people.key", "--json").json()
    assert shown["fingerprint"] in said.out
    assert not shown["open_to_others"]
    assert text not in str(shown)


def test_no_two_keys_are_the_same(desk):
    made = {desk.run("key", "new", f"{name}.key", "--json").json()["fingerprint"] for name in "ab"}
    assert len(made) == 2


def test_a_key_is_never_replaced(desk):
    desk.run("key", "new", "people.key").fine()
    before = desk.read("people.key")
    desk.run("key", "new", "people.key").refused(2, "people.key", "is there already")
    assert desk.read("people.key") == before


@pytest.mark.parametrize("written", [SPECIFIED, SPECIFIED + "\n", SPECIFIED + "\r\n"])
def test_a_fingerprint_is_that_of_the_key_without_the_end_of_its_line(desk, written):
    desk.put("people.key", written)
    assert desk.run("key", "show", "people.key", "--json").json()["fingerprint"] == "f052654f"


def test_what_is_no_key_is_refused(desk):
    desk.put("short.key", "hunter2\n")
    desk.run("key", "show", "short.key").refused(2, "short.key", "too short")
    desk.run("key", "show", "none.key").refused(2, "none.key", "shoal key new")


def test_a_key_that_others_may_read_is_told(desk):
    desk.put("people.key", SPECIFIED).chmod(0o644)
    assert "chmod 600" in desk.run("key", "show", "people.key").fine().out


def test_a_folder_that_is_not_there_is_no_place_for_a_key(desk):
    desk.run("key", "new", "nowhere/people.key").refused(3, "nowhere")
